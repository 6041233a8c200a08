/// Writes one value to a sealed column chunk by chunk, as its bytes come, in the open transaction. A caller that
/// releases the writer before ``finish()`` must roll back that transaction, or a savepoint in it.
final class SealedBlobWriter: PieceWriter {
    private let column: SealedColumn
    /// The announced number of bytes.
    private let count: Int
    private let padding: CellPadding
    private var state: State?

    /// - Throws: ``LockstepError/Code/misuse`` for a column that does not accept streams,
    ///   ``LockstepError/Code/sqlFailed`` if the row does not exist.
    init(_ place: BlobPlace, count: Int, on connection: borrowing Connection) throws {
        let place = try SealedPlace(place, connection)
        let (column, cipher) = (place.column, place.column.cipher)
        try Self.requireTakesStreams(column, count)
        let length = try CellPlaintext.length(ofPayload: count, cipher.padding)
        let room = try CellFormat.chunked.cellLength(length)
        try Self.makeRoom(room, place, connection)
        var header: [UInt8] = []
        let message = try cipher.chunkedCipher().begin(&header, cipher.tools, place.binding)
        let blob = try Blob(place.place, .write, on: connection.core)
        try blob.write(header, at: 0)
        self.column = column.column
        self.count = count
        padding = cipher.padding
        var state = State(blob: blob, message: message, layout: try ChunkedLayout(plaintextLength: length))
        let flag = padding == .none ? 0 : CellTag.paddedFlag
        try state.take([CellTag.blob.rawValue | flag])
        self.state = consume state
    }

    /// The number of the value's bytes so far, without the type tag.
    private var taken: Int { (state?.taken ?? 1) - 1 }

    func append(_ bytes: [UInt8], on _: borrowing Connection) throws { try append(bytes) }

    func finish(on _: borrowing Connection) throws { try finish() }

    func append(_ bytes: [UInt8]) throws {
        let came = taken + bytes.count
        guard came <= count else { throw wrongCount("\(came) or more") }
        try state?.take(bytes)
    }

    func finish() throws {
        guard taken == count else { throw wrongCount("\(taken)") }
        if padding != .none { try state?.pad() }
        try state?.finish()
        close()
    }

    func close() { state = nil }

    private func wrongCount(_ came: String) -> LockstepError {
        LockstepError(
            .misuse, "\(column.table).\(column.name) got \(came) bytes, but \(count) were announced",
            hint: "nothing was written; announce the exact number of bytes", context: column.context)
    }

    // MARK: Room

    private static func requireTakesStreams(
        _ column: SealedColumnAccess, _ count: Int
    ) throws(LockstepError) {
        let refusal: (why: String, hint: String)? =
            if column.column.mode.showsEquality {
                ("its equal values must look equal", "write it through its view")
            } else if !column.column.indexes.isEmpty {
                ("its blind index needs whole values", "write it through its view")
            } else if !column.column.state.sealsValues {
                ("it is \(column.column.state.rawValue)", "write it like any other column")
            } else { nil }
        if let refusal {
            throw LockstepError(
                .misuse, "\(column.title) does not accept a stream: \(refusal.why)",
                hint: refusal.hint, context: column.column.context)
        }
        // SQLite's own limit is lower, and adding a cell's overhead to this limit does not overflow.
        guard 0...Int(Int32.max) ~= count else {
            throw LockstepError(.misuse, "\(count) is not a valid length of a BLOB")
        }
    }

    /// Replaces the row's value with zeros, which are not a cell yet.
    private static func makeRoom(_ length: Int, _ place: SealedPlace, _ connection: borrowing Connection) throws {
        let shape = place.column.shape
        guard let rowID = shape.rowIDName else {
            throw LockstepError(
                .misuse, "the columns of \(shape.name) use every name of its rowid", context: place.place.context)
        }
        func set(_ value: String) -> SQL {
            SQL(
                verbatim:
                    "UPDATE main.\(shape.quotedName) SET \(SQLTokens.quote(place.place.column)) = \(value) WHERE \(rowID) = ?"
            )
        }
        // The table's own triggers see a normal change of the row, and the guards see a cell.
        let cell = try place.column.cipher.seal(.blob([]), at: place.binding)
        try connection.execute(set("?"), cell, place.place.row)
        guard connection.changes == 1 else { throw place.missingRow() }
        try connection.executeWithoutTriggers(set("zeroblob(?)"), [.integer(Int64(length)), .integer(place.place.row)])
        guard connection.changes == 1 else { throw place.missingRow() }
    }
}

extension SealedBlobWriter {
    /// The chunk that is being filled, and the BLOB that receives it.
    struct State: ~Copyable {
        private let blob: Blob
        private var message: ChunkedEncryption
        private let layout: ChunkedLayout
        /// Plaintext, and space for a tag.
        private let chunk = WipedMemory(ChunkedLayout.sealedChunkLength)
        private var filled = 0
        private var number = 0

        init(blob: consuming Blob, message: consuming ChunkedEncryption, layout: ChunkedLayout) {
            self.blob = blob
            self.message = message
            self.layout = layout
        }

        /// The number of plaintext bytes so far.
        var taken: Int { number * ChunkedLayout.chunkLength + filled }

        mutating func take(_ bytes: [UInt8]) throws(LockstepError) {
            var rest = bytes.startIndex
            while rest < bytes.endIndex {
                let share = min(bytes.endIndex - rest, ChunkedLayout.chunkLength - filled)
                try chunk.with(filled..<(filled + share)) { target throws(LockstepError) in
                    target.copy(bytes.span.extracting(rest..<(rest + share)), to: 0)
                }
                (rest, filled) = (rest + share, filled + share)
                if filled == ChunkedLayout.chunkLength { try seal(isLast: false) }
            }
        }

        /// One byte 0x80, then zeros to the end.
        mutating func pad() throws(LockstepError) {
            try take([0x80])
            try take([UInt8](repeating: 0, count: layout.plaintextLength - taken))
        }

        /// Seals the last chunk, which can be empty.
        mutating func finish() throws(LockstepError) { try seal(isLast: true) }

        private mutating func seal(isLast: Bool) throws(LockstepError) {
            let place = try layout.encryptedRange(ofChunk: number)
            try chunk.with(0..<place.count) { sealed throws(LockstepError) in
                try message.seal(inPlace: &sealed, number: number, isLast: isLast)
                try blob.write(sealed.span, at: CellFormat.prefixLength + place.lowerBound)
            }
            (number, filled) = (number + 1, 0)
        }
    }
}
