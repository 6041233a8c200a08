/// A chunked cell in the file, opened chunk by chunk: only one chunk is in memory at a time.
struct ChunkedCell: ~Copyable {
    private let blob: Blob
    private let cipher: ColumnCipher
    private let binding: CellBinding
    private let message: ChunkedEncryption
    private let layout: ChunkedLayout
    /// A sealed chunk, as stored in the file.
    private let sealed = WipedMemory(ChunkedLayout.sealedChunkLength)
    /// The chunk opened last, with space for its tag.
    private let chunk = WipedMemory(ChunkedLayout.sealedChunkLength)
    private var opened: Int?
    /// The range of the payload in the plaintext.
    private var payload = 0..<0

    /// Opens the cell that `blob` holds, and verifies where it ends.
    static func open(
        _ blob: consuming Blob, _ prefix: CellPrefix, _ cipher: ColumnCipher,
        _ binding: CellBinding
    ) throws -> ChunkedCell {
        // A length that no message has means that the cell was truncated or extended.
        guard let length = prefix.format.plaintextLength(blob.count) else {
            throw cipher.forged(binding)
        }
        let layout = try ChunkedLayout(plaintextLength: length)
        let header = try blob.read(at: 0, count: prefix.format.headerLength)
        let resumed = try cipher.chunkedCipher(prefix, binding).resume(header.span, binding)
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

    /// The length of the payload.
    var count: Int { payload.count }

    // MARK: Reading

    /// A piece of the payload, every byte of which has authenticated.
    mutating func read(_ piece: Range<Int>) throws -> [UInt8] {
        // A cached chunk is stale if the row has changed since.
        try blob.requireUsable()
        let start = payload.lowerBound
        let piece = (start + piece.lowerBound)..<(start + piece.upperBound)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(piece.count)
        for number in try layout.chunks(holding: piece) {
            let range = try open(number)
            let share = piece.clamped(to: range)
            chunk.append((share.lowerBound - range.lowerBound)..<(share.upperBound - range.lowerBound), to: &bytes)
        }
        return bytes
    }

    /// Opens every chunk.
    mutating func check() throws {
        for number in 0..<layout.chunkCount { _ = try open(number) }
    }

    /// Decrypts a chunk into the buffer, and returns its range in the plaintext.
    private mutating func open(_ number: Int) throws(LockstepError) -> Range<Int> {
        let range = try layout.plaintextRange(ofChunk: number)
        guard opened != number else { return range }
        opened = nil
        let place = try layout.encryptedRange(ofChunk: number)
        let isOpen = try sealed.with(0..<place.count) { sealed throws(LockstepError) in
            try blob.read(into: &sealed, at: CellFormat.prefixLength + place.lowerBound)
            return try chunk.with(0..<range.count) { plaintext throws(LockstepError) in
                try message.open(sealed.span, number: number, isLast: number == layout.lastChunk, into: &plaintext)
            }
        }
        guard isOpen else { throw cipher.forged(binding) }
        opened = number
        return range
    }

    /// The range between the type tag and the padding. The last chunk is opened first, because it proves the length.
    private mutating func findPayload() throws(LockstepError) -> Range<Int> {
        _ = try open(layout.lastChunk)
        guard layout.plaintextLength > 0 else { throw cipher.unknownForm(binding) }
        var end = layout.plaintextLength
        guard try byte(0) & CellTag.paddedFlag != 0 else { return try payload(end) }
        // The padding is at most one unit.
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

    // MARK: Resealing

    /// Replaces the cell, chunk by chunk, with a new cell of the same plaintext under the active key. A failure in
    /// between leaves neither cell intact, so the caller must roll back the transaction.
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
