/// One version of a column's key, for chunked cells. A cell can be sealed and opened as a whole, or chunk by chunk as a
/// message of chunked encryption.
final class ChunkedCipher: VersionCipher {
    let number: UInt32
    let binding: BindingVersion
    let prefix: [UInt8]
    private var state: State
    private static let saltEnd = CellFormat.prefixLength + ChunkedEncryption.saltLength

    struct State: ~Copyable {
        let key: SecretBytes
        var associatedData: AssociatedData
    }

    init(_ number: UInt32, _ owner: CellOwner, _ keys: FieldKeys) throws(LockstepError) {
        let key = try keys.columnKey(owner.bytes, version: number, format: CellFormat.chunked.byte(owner.version))
        let prefix = CellPrefix(.chunked, owner.version, keyVersion: number)
        self.number = number
        binding = owner.version
        self.prefix = prefix.bytes
        state = State(
            key: key,
            associatedData: AssociatedData(prefix, dataset: keys.dataset, owner))
    }

    /// Begins a cell at its place, and sets `header` to the bytes before its chunks.
    func begin(
        _ header: inout [UInt8], _ tools: SealingTools, _ binding: CellBinding
    ) throws(LockstepError) -> ChunkedEncryption {
        var salt = [UInt8](repeating: 0, count: ChunkedEncryption.saltLength)
        try unsafe salt.withUnsafeMutableBufferPointer { bytes throws(LockstepError) in
            try unsafe tools.drawNonce(to: bytes)
        }
        let message = try state.begin(salt.span, binding)
        header = prefix + salt + message.commitment
        return message
    }

    /// Resumes a cell of this format and version from the bytes before its chunks; nil if the cell was sealed with
    /// another key or at another place.
    func resume(
        _ header: Span<UInt8>, _ binding: CellBinding
    ) throws(LockstepError) -> ChunkedEncryption? {
        try state.resume(
            header.extracting(CellFormat.prefixLength..<Self.saltEnd),
            header.extracting(Self.saltEnd..<CellFormat.chunked.headerLength), binding)
    }

    // MARK: Whole cells

    func seal(
        _ cell: UnsafeMutableBufferPointer<UInt8>, _ tools: SealingTools, _ binding: CellBinding
    ) throws(LockstepError) {
        let layout = try layout(cell.count)
        var header: [UInt8] = []
        var message = try begin(&header, tools, binding)
        for index in header.indices { unsafe cell[index] = header[index] }
        let shift = cell.count - layout.plaintextLength
        for number in 0..<layout.chunkCount {
            let plaintext = try layout.plaintextRange(ofChunk: number)
            let place = try layout.encryptedRange(ofChunk: number)
            let chunk = unsafe UnsafeMutableBufferPointer(
                rebasing: cell[
                    (CellFormat.prefixLength + place.lowerBound)..<(CellFormat.prefixLength + place.upperBound)])
            // The plaintext is after its chunk's place, and that place never reaches the plaintext of the next chunk.
            if let target = chunk.baseAddress, let source = cell.baseAddress {
                unsafe target.update(from: source + shift + plaintext.lowerBound, count: plaintext.count)
            }
            var span = unsafe MutableSpan(_unsafeElements: chunk)
            try message.seal(inPlace: &span, number: number, isLast: number == layout.lastChunk)
        }
    }

    func open(
        _ cell: Span<UInt8>, _ binding: CellBinding, into plaintext: inout MutableSpan<UInt8>
    ) throws(LockstepError) -> Bool {
        let layout = try layout(cell.count)
        guard let message = try resume(cell, binding) else { return false }
        let chunks = cell.extracting(CellFormat.prefixLength...)
        for number in 0..<layout.chunkCount {
            let place = try layout.encryptedRange(ofChunk: number)
            let range = try layout.plaintextRange(ofChunk: number)
            let isOpen = try plaintext.with(range) { target throws(LockstepError) in
                try message.open(
                    chunks.extracting(place), number: number, isLast: number == layout.lastChunk, into: &target)
            }
            guard isOpen else { return false }
        }
        return true
    }

    private func layout(_ cell: Int) throws(LockstepError) -> ChunkedLayout {
        guard let layout = ChunkedLayout(encryptedLength: cell - CellFormat.prefixLength) else {
            throw LockstepError(.misuse, "\(cell) bytes is not a valid length of a chunked cell")
        }
        return layout
    }
}

extension ChunkedCipher.State {
    mutating func begin(
        _ salt: Span<UInt8>, _ binding: CellBinding
    ) throws(LockstepError) -> ChunkedEncryption {
        let context = try associatedData.bytes(binding)
        return try ChunkedEncryption(key: key.bytes, salt: salt, context: context.span)
    }

    mutating func resume(
        _ salt: Span<UInt8>, _ commitment: Span<UInt8>, _ binding: CellBinding
    ) throws(LockstepError) -> ChunkedEncryption? {
        let context = try associatedData.bytes(binding)
        return try ChunkedEncryption.opening(key: key.bytes, salt: salt, context: context.span, commitment: commitment)
    }
}
