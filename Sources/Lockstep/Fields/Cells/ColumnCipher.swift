/// What the sealed columns of one connection share: random bytes, and memory to open cells in.
package final class SealingTools {
    private var random = unsafe RandomSupply()
    fileprivate let buffer = PlaintextBuffer()

    package init() {}

    /// Writes a fresh nonce to where it belongs.
    func drawNonce(to nonce: UnsafeMutableBufferPointer<UInt8>) throws(LockstepError) {
        guard let start = nonce.baseAddress,
            unsafe random.fill(start, Int32(XAES256GCM.nonceLength))
        else {
            throw LockstepError(
                .cryptographyFailed, "OpenSSL gave no random bytes for a nonce",
                hint: "nothing was sealed; try again")
        }
    }
}

/// Seals and opens the cells of one column, on one thread at a time.
///
/// The column's keys are derived when they are first used, and kept.
package final class ColumnCipher {
    /// The column's identifier in its dataset.
    let column: UInt32
    /// How messages call the column.
    private let title: String
    private let format: CellFormat
    private let keys: FieldKeys
    let tools: SealingTools
    let padding: CellPadding
    /// Under the active version of the key: what nearly every cell is sealed under.
    private let active: any VersionCipher
    private let activePrefix: [UInt8]
    /// The others.
    private var older: [any VersionCipher] = []
    /// For cells in chunks, which few columns have.
    private var chunked: [ChunkedCipher] = []

    /// - Parameter title: How messages call the column; its number, if nil.
    /// - Throws: What ``FieldKeys/columnKey(_:version:format:count:)`` throws.
    package init(
        column: UInt32, _ keys: FieldKeys, _ tools: SealingTools,
        mode: SealingMode = .random, padding: CellPadding = .none, title: String? = nil
    ) throws(LockstepError) {
        self.column = column
        self.title = title ?? "column \(column)"
        self.keys = keys
        self.tools = tools
        self.padding = padding
        format = mode == .random ? .random : .deterministic
        active = try format.cipher(keys.activeVersion, column, keys)
        activePrefix = active.prefix
    }

    // MARK: Sealing

    /// The cell of a value at its place, under the active key.
    /// - Throws: ``LockstepError/Code/misuse`` for a value or a place that cannot be,
    ///   ``LockstepError/Code/cryptographyFailed``.
    package func seal(_ value: CellValue, at binding: CellBinding) throws(LockstepError) -> [UInt8]
    {
        let length = try CellPlaintext.length(of: value, padding)
        return try seal(value.tag, length, at: binding) { plaintext throws(LockstepError) in
            try CellPlaintext.write(value, padding, to: &plaintext)
        }
    }

    /// The same for a payload whose bytes are as the type has them.
    func seal(
        _ tag: CellTag, _ payload: Span<UInt8>, at binding: CellBinding
    ) throws(LockstepError) -> [UInt8] {
        let length = try CellPlaintext.length(ofPayload: payload.count, padding)
        return try seal(tag, length, at: binding) { plaintext throws(LockstepError) in
            CellPlaintext.write(tag, payload, padding, to: &plaintext)
        }
    }

    private func seal(
        _ tag: CellTag, _ length: Int, at binding: CellBinding,
        _ write: (inout MutableSpan<UInt8>) throws(LockstepError) -> Void
    ) throws(LockstepError) -> [UInt8] {
        // By the length with its padding, so that the format tells no more than the length.
        guard length > CellFormat.longestPiece, tag == .blob, format == .random else {
            return try seal(length, at: binding, format, active, activePrefix, write)
        }
        let chunked = try chunkedCipher()
        return try seal(length, at: binding, .chunked, chunked, chunked.prefix, write)
    }

    private func seal(
        _ length: Int, at binding: CellBinding, _ format: CellFormat, _ cipher: any VersionCipher,
        _ prefix: [UInt8], _ write: (inout MutableSpan<UInt8>) throws(LockstepError) -> Void
    ) throws(LockstepError) -> [UInt8] {
        var cell = [UInt8](repeating: 0, count: try format.cellLength(length))
        // Chunks grow by their tags as they move to where they belong.
        let start = format == .chunked ? cell.count - length : format.headerLength
        try unsafe cell.withUnsafeMutableBufferPointer { bytes throws(LockstepError) in
            for index in 0..<CellFormat.prefixLength { unsafe bytes[index] = prefix[index] }
            var plaintext = unsafe MutableSpan(
                _unsafeElements: UnsafeMutableBufferPointer(
                    rebasing: bytes[start..<(start + length)]))
            try write(&plaintext)
            try unsafe cipher.seal(bytes, tools, binding)
        }
        return cell
    }

    // MARK: Opening

    /// The value of a cell that was sealed at this place.
    /// - Throws: ``LockstepError/Code/cellMalformed``, ``LockstepError/Code/cellForged``,
    ///   ``LockstepError/Code/keyUnavailable``.
    package func open(_ cell: Span<UInt8>, at binding: CellBinding) throws(LockstepError)
        -> CellValue
    {
        let value = try openPlaintext(of: cell, at: binding) {
            plaintext throws(LockstepError) in CellPlaintext.read(plaintext)
        }
        guard let value else { throw unknownForm(binding) }
        return value
    }

    /// The same without making a value of it: lends the payload as it lies, and wipes it.
    func open<Result>(
        _ cell: Span<UInt8>, at binding: CellBinding,
        _ body: (CellTag, Span<UInt8>) throws(LockstepError) -> Result
    ) throws(LockstepError) -> Result {
        let result = try openPlaintext(of: cell, at: binding) {
            plaintext throws(LockstepError) -> Result? in
            guard let (tag, payload) = CellPlaintext.payload(plaintext) else { return nil }
            return try body(tag, plaintext.extracting(payload))
        }
        guard let result else { throw unknownForm(binding) }
        return result
    }

    private func openPlaintext<Result>(
        of cell: Span<UInt8>, at binding: CellBinding,
        _ body: (Span<UInt8>) throws(LockstepError) -> Result
    ) throws(LockstepError) -> Result {
        guard let prefix = CellPrefix(cell), isOurs(prefix) else {
            throw malformed("holds no sealed value", binding)
        }
        let version: any VersionCipher =
            prefix.format == .chunked
            ? try chunkedCipher(prefix.keyVersion) : try version(prefix.keyVersion)
        guard let length = prefix.format.plaintextLength(cell.count) else { throw forged(binding) }
        let result = try tools.buffer.with(length) { plaintext throws(LockstepError) -> Result? in
            guard try version.open(cell, binding, into: &plaintext) else { return nil }
            return try body(plaintext.span)
        }
        guard let result else { throw forged(binding) }
        return result
    }

    /// Whether the column's cells may begin so.
    func isOurs(_ prefix: CellPrefix) -> Bool {
        prefix.format == format || (prefix.format == .chunked && format == .random)
    }

    /// What seals and opens chunks under one version of the key; the active one, if nil.
    func chunkedCipher(_ number: UInt32? = nil) throws(LockstepError) -> ChunkedCipher {
        let number = number ?? keys.activeVersion
        for cipher in chunked where cipher.number == number { return cipher }
        let cipher = try ChunkedCipher(number, column, keys)
        chunked.append(cipher)
        return cipher
    }

    private func version(_ number: UInt32) throws(LockstepError) -> any VersionCipher {
        if number == active.number { return active }
        for cipher in older where cipher.number == number { return cipher }
        let cipher = try format.cipher(number, column, keys)
        older.append(cipher)
        return cipher
    }

    // MARK: Errors

    /// What is no cell, where one is due.
    func malformed(_ what: String, _ binding: CellBinding) -> LockstepError {
        LockstepError(
            .cellMalformed, "\(place(binding)) \(what)",
            hint: "somebody wrote to a sealed column without sealing, or a newer version did")
    }

    /// What does not open as what it says it is.
    func forged(_ binding: CellBinding) -> LockstepError {
        LockstepError(
            .cellForged, "\(place(binding)) does not authenticate",
            hint: "it was changed, or moved from elsewhere; restore the row from a backup")
    }

    func unknownForm(_ binding: CellBinding) -> LockstepError {
        malformed("was sealed in a form that this version does not know", binding)
    }

    /// Keys other than numbers may be what is protected.
    private func place(_ binding: CellBinding) -> String {
        switch binding {
        case .row(let row): "the cell of \(title) in row \(row)"
        case .column, .key: "a cell of \(title)"
        }
    }
}
