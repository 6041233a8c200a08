/// A cell in chunks that lies in the file, and is opened chunk by chunk: as much of it is in memory as one chunk.
struct ChunkedCell: ~Copyable {
    private let blob: Blob
    private let cipher: ColumnCipher
    private let binding: CellBinding
    private let message: ChunkedEncryption
    private let layout: ChunkedLayout
    /// A chunk as it lies in the file.
    private let sealed = WipedMemory(ChunkedLayout.sealedChunkLength)
    /// The chunk that was opened last, with room for its tag.
    private let chunk = WipedMemory(ChunkedLayout.sealedChunkLength)
    private var opened: Int?
    /// Where the payload lies in the plaintext.
    private var payload = 0..<0

    /// Takes up the cell that `blob` holds, and makes sure of where it ends.
    static func open(
        _ blob: consuming Blob, _ prefix: CellPrefix, _ cipher: ColumnCipher,
        _ binding: CellBinding
    ) throws -> ChunkedCell {
        // A length that no message has is one that was cut or added to.
        guard let length = prefix.format.plaintextLength(blob.count) else {
            throw cipher.forged(binding)
        }
        let layout = try ChunkedLayout(plaintextLength: length)
        let header = try blob.read(at: 0, count: prefix.format.headerLength)
        let resumed = try cipher.chunkedCipher(prefix.keyVersion).resume(header.span, binding)
        guard let message = resumed else { throw cipher.forged(binding) }
        var cell = ChunkedCell(blob, cipher, binding, message, layout)
        cell.payload = try cell.findPayload()
        return cell
    }

    private init(
        _ blob: consuming Blob, _ cipher: ColumnCipher, _ binding: CellBinding,
        _ message: consuming ChunkedEncryption, _ layout: ChunkedLayout
    ) {
        self.blob = blob
        self.cipher = cipher
        self.binding = binding
        self.message = message
        self.layout = layout
    }

    /// How long the payload is.
    var count: Int { payload.count }

    // MARK: Reading

    /// A piece of the payload, all of which has authenticated.
    mutating func read(_ piece: Range<Int>) throws -> [UInt8] {
        // What is known of a chunk says nothing of a row that has changed since.
        try blob.requireUsable()
        let start = payload.lowerBound
        let piece = (start + piece.lowerBound)..<(start + piece.upperBound)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(piece.count)
        for number in try layout.chunks(holding: piece) {
            let range = try open(number)
            let share = piece.clamped(to: range)
            chunk.append(
                (share.lowerBound - range.lowerBound)..<(share.upperBound - range.lowerBound),
                to: &bytes)
        }
        return bytes
    }

    /// Opens every chunk.
    mutating func check() throws {
        for number in 0..<layout.chunkCount { _ = try open(number) }
    }

    /// Puts the plaintext of a chunk where it is worked with, and says which bytes of the whole it is.
    private mutating func open(_ number: Int) throws(LockstepError) -> Range<Int> {
        let range = try layout.plaintextRange(ofChunk: number)
        guard opened != number else { return range }
        opened = nil
        let place = try layout.encryptedRange(ofChunk: number)
        let isOpen = try sealed.with(0..<place.count) { sealed throws(LockstepError) in
            try blob.read(into: &sealed, at: CellFormat.prefixLength + place.lowerBound)
            return try chunk.with(0..<range.count) { plaintext throws(LockstepError) in
                try message.open(
                    sealed.span, number: number, isLast: number == layout.lastChunk,
                    into: &plaintext)
            }
        }
        guard isOpen else { throw cipher.forged(binding) }
        opened = number
        return range
    }

    /// Between the type tag and the padding. The last chunk is the first to be opened: it proves the length.
    private mutating func findPayload() throws(LockstepError) -> Range<Int> {
        _ = try open(layout.lastChunk)
        guard layout.plaintextLength > 0 else { throw cipher.unknownForm(binding) }
        var end = layout.plaintextLength
        guard try byte(0) & CellTag.paddedFlag != 0 else { return try payload(end) }
        // No more than one unit is padding.
        let first = max(end - CellPadding.units.upperBound, 1)
        end -= 1
        while end > first, try byte(end) == 0 { end -= 1 }
        guard end >= 1, try byte(end) == 0x80 else { throw cipher.unknownForm(binding) }
        return try payload(end)
    }

    private mutating func payload(_ end: Int) throws(LockstepError) -> Range<Int> {
        guard let tag = CellTag(rawValue: try byte(0) & ~CellTag.paddedFlag),
            tag.fixedLength == nil
        else {
            throw cipher.unknownForm(binding)
        }
        return 1..<end
    }

    private mutating func byte(_ place: Int) throws(LockstepError) -> UInt8 {
        let range = try open(place / ChunkedLayout.chunkLength)
        return chunk[place - range.lowerBound]
    }

    // MARK: Sealing anew

    /// Puts another cell of the same plaintext in its place, under the active key, chunk after chunk. What fails
    /// between leaves neither: it is for a transaction that is then undone.
    mutating func reseal() throws {
        var header: [UInt8] = []
        let active = try cipher.chunkedCipher()
        var next = try active.begin(&header, cipher.tools, binding)
        for number in 0..<layout.chunkCount {
            _ = try open(number)
            opened = nil
            let place = try layout.encryptedRange(ofChunk: number)
            try chunk.with(0..<place.count) { sealed throws(LockstepError) in
                try next.seal(
                    inPlace: &sealed, number: number, isLast: number == layout.lastChunk)
                try blob.write(sealed.span, at: CellFormat.prefixLength + place.lowerBound)
            }
        }
        try blob.write(header, at: 0)
    }
}
