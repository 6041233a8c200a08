/// The state that the sealed columns of one connection share: random bytes, and memory for opening cells.
package final class SealingTools {
    private var random = unsafe RandomSupply()
    fileprivate let buffer = PlaintextBuffer()

    package init() {}

    /// Fills `nonce` with a fresh nonce.
    func drawNonce(to nonce: UnsafeMutableBufferPointer<UInt8>) throws(LockstepError) {
        guard let start = nonce.baseAddress, unsafe random.fill(start, Int32(XAES256GCM.nonceLength)) else {
            throw LockstepError(
                .cryptographyFailed, "OpenSSL returned no random bytes for a nonce",
                hint: "nothing was sealed; try again")
        }
    }
}

/// Seals and opens the cells of one column, on one thread at a time.
///
/// It derives the column's keys at their first use, and keeps them.
package final class ColumnCipher {
    /// The column's number in its dataset.
    let column: UInt32
    private let owner: CellOwner
    /// What older cells belong to, which also open while the column is resealed; nil at any other time.
    private let former: CellOwner?
    private let context: LockstepError.Context
    private let format: CellFormat
    private let largeFormat: CellFormat?
    private let keys: FieldKeys
    let tools: SealingTools
    let padding: CellPadding
    /// The cipher for the active version of the key, under which nearly every cell is sealed.
    private let active: any VersionCipher
    private let activePrefix: [UInt8]
    /// The version and binding of `active`, which each cell that is opened takes.
    private let activeNumber: UInt32
    private let activeBinding: BindingVersion
    /// The ciphers for other versions.
    private var older: [any VersionCipher] = []
    /// For chunked cells, which few columns have.
    private var chunked: [ChunkedCipher] = []

    /// - Parameters:
    ///   - identity: The column's identity; nil if it has none, so that cells are bound to its number.
    ///   - opensNumbered: Whether cells that are bound to its number open although it has an identity.
    ///   - context: Names the column for errors; without a name, messages use its number.
    /// - Throws: The errors of ``FieldKeys/columnKey(_:version:format:count:)``.
    package init(
        column: UInt32, identity: [UInt8]? = nil, opensNumbered: Bool = false, _ keys: FieldKeys,
        _ tools: SealingTools,
        mode: SealingMode = .random, padding: CellPadding = .none,
        context: LockstepError.Context = .init()
    ) throws(LockstepError) {
        self.column = column
        owner = CellOwner(column, identity)
        former = opensNumbered ? .number(column) : nil
        self.context = context
        self.keys = keys
        self.tools = tools
        self.padding = padding
        format = mode.format
        largeFormat = mode.largeFormat
        active = try format.cipher(keys.activeVersion, owner, keys)
        activePrefix = active.prefix
        activeNumber = active.number
        activeBinding = active.binding
    }

    // MARK: Sealing

    /// The cell of a value at its place, under the active key.
    /// - Throws: ``LockstepError/Code/misuse`` for an invalid place, ``LockstepError/Code/cryptographyFailed``.
    package func seal(_ value: Value, at binding: CellBinding) throws(LockstepError) -> [UInt8] {
        let length = try CellPlaintext.length(of: value, padding)
        return try seal(value.tag, length, at: binding) { plaintext in
            CellPlaintext.write(value, padding, to: &plaintext)
        }
    }

    /// The cell of a payload whose bytes already have its type's form.
    func seal(
        _ tag: CellTag, _ payload: Span<UInt8>, at binding: CellBinding
    ) throws(LockstepError) -> [UInt8] {
        let length = try CellPlaintext.length(ofPayload: payload.count, padding)
        return try seal(tag, length, at: binding) { plaintext in
            CellPlaintext.write(tag, payload, padding, to: &plaintext)
        }
    }

    private func seal(
        _ tag: CellTag, _ length: Int, at binding: CellBinding, _ write: (inout MutableSpan<UInt8>) -> Void
    ) throws(LockstepError) -> [UInt8] {
        // The padded length decides, so that the format reveals no more than the length does.
        guard length > CellFormat.longestPiece, tag == .blob, let largeFormat else {
            return try seal(length, at: binding, format, active, activePrefix, write)
        }
        let chunked = try chunkedCipher()
        return try seal(length, at: binding, largeFormat, chunked, chunked.prefix, write)
    }

    private func seal(
        _ length: Int, at binding: CellBinding, _ format: CellFormat, _ cipher: any VersionCipher,
        _ prefix: [UInt8], _ write: (inout MutableSpan<UInt8>) -> Void
    ) throws(LockstepError) -> [UInt8] {
        var cell = [UInt8](repeating: 0, count: try format.cellLength(length))
        // Each chunk grows by its tag as it moves to its place.
        let start = format == .chunked ? cell.count - length : format.headerLength
        try unsafe cell.withUnsafeMutableBufferPointer { bytes throws(LockstepError) in
            for index in 0..<CellFormat.prefixLength { unsafe bytes[index] = prefix[index] }
            var plaintext = unsafe MutableSpan(
                _unsafeElements: UnsafeMutableBufferPointer(rebasing: bytes[start..<(start + length)]))
            write(&plaintext)
            try unsafe cipher.seal(bytes, tools, binding)
        }
        return cell
    }

    // MARK: Opening

    /// The value of a cell that was sealed at this place.
    /// - Throws: ``LockstepError/Code/cellMalformed``, ``LockstepError/Code/cellForged``,
    ///   ``LockstepError/Code/keyUnavailable``.
    package func open(_ cell: Span<UInt8>, at binding: CellBinding) throws(LockstepError)
        -> Value
    {
        let value = try openPlaintext(of: cell, at: binding) {
            plaintext throws(LockstepError) in CellPlaintext.read(plaintext)
        }
        guard let value else { throw unknownForm(binding) }
        return value
    }

    /// Opens a cell without creating a value: lends the payload to `body`, then wipes it.
    func open<Result>(
        _ cell: Span<UInt8>, at binding: CellBinding, _ body: (CellTag, Span<UInt8>) throws(LockstepError) -> Result
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
        of cell: Span<UInt8>, at binding: CellBinding, _ body: (Span<UInt8>) throws(LockstepError) -> Result
    ) throws(LockstepError) -> Result {
        guard let prefix = CellPrefix(cell), isOurs(prefix) else {
            throw malformed("holds no sealed value", binding)
        }
        let version: any VersionCipher =
            prefix.format == .chunked ? try chunkedCipher(prefix, binding) : try version(prefix, binding)
        guard let length = prefix.format.plaintextLength(cell.count) else { throw forged(binding) }
        let result = try tools.buffer.with(length) { plaintext throws(LockstepError) -> Result? in
            guard try version.open(cell, binding, into: &plaintext) else { return nil }
            return try body(plaintext.span)
        }
        guard let result else { throw forged(binding) }
        return result
    }

    /// Whether this prefix is one of the column's formats, in any binding version.
    func isOurs(_ prefix: CellPrefix) -> Bool {
        prefix.format == format || prefix.format == largeFormat
    }

    /// Whether cells with this prefix must be resealed: those under older versions of the key, and those that are bound
    /// to what the column was known by before.
    func isOld(_ prefix: CellPrefix) -> Bool {
        prefix.keyVersion != keys.activeVersion || prefix.binding != owner.version
    }

    /// The cipher for chunks under the active version of the key.
    func chunkedCipher() throws(LockstepError) -> ChunkedCipher {
        try chunkedCipher(keys.activeVersion, owner)
    }

    /// The cipher for the chunks of a cell with this prefix.
    func chunkedCipher(
        _ prefix: CellPrefix, _ place: CellBinding
    ) throws(LockstepError) -> ChunkedCipher {
        try chunkedCipher(prefix.keyVersion, owner(of: prefix, place))
    }

    private func chunkedCipher(
        _ number: UInt32, _ owner: CellOwner
    ) throws(LockstepError) -> ChunkedCipher {
        for cipher in chunked where cipher.number == number && cipher.binding == owner.version {
            return cipher
        }
        let cipher = try ChunkedCipher(number, owner, keys)
        chunked.append(cipher)
        return cipher
    }

    private func version(
        _ prefix: CellPrefix, _ place: CellBinding
    ) throws(LockstepError) -> any VersionCipher {
        let (number, binding) = (prefix.keyVersion, prefix.binding)
        if number == activeNumber, binding == activeBinding { return active }
        for cipher in older where cipher.number == number && cipher.binding == binding {
            return cipher
        }
        let cipher = try format.cipher(number, owner(of: prefix, place), keys)
        older.append(cipher)
        return cipher
    }

    /// What a cell with this prefix belongs to.
    /// - Throws: ``LockstepError/Code/cellForged`` if that is not what the column is known by.
    private func owner(
        of prefix: CellPrefix, _ place: CellBinding
    ) throws(LockstepError) -> CellOwner {
        if prefix.binding == owner.version { return owner }
        if let former, prefix.binding == former.version { return former }
        throw otherBinding(prefix, place)
    }

    /// Whether cells with this prefix are refused because of their binding version.
    func hasOtherBinding(_ prefix: CellPrefix) -> Bool {
        prefix.binding != owner.version && prefix.binding != former?.version
    }

    // MARK: Errors

    /// The column's name in messages.
    private var title: String {
        guard let table = context.table, let name = context.column else {
            return "column \(column)"
        }
        return "\(table).\(name)"
    }

    /// The error for a value that is not a cell in a place that must hold one.
    func malformed(_ what: String, _ binding: CellBinding) -> LockstepError {
        LockstepError(
            .cellMalformed, "\(place(binding)) \(what)",
            hint:
                "somebody wrote an unsealed value to a sealed column, or a newer version of the engine wrote it",
            context: context)
    }

    /// The error for a cell that does not authenticate.
    func forged(_ binding: CellBinding) -> LockstepError {
        LockstepError(
            .cellForged, "\(place(binding)) does not authenticate",
            hint:
                "somebody changed it, or moved it from another place; restore the row from a backup",
            context: context)
    }

    private func otherBinding(_ prefix: CellPrefix, _ place: CellBinding) -> LockstepError {
        LockstepError(
            .cellForged,
            "\(self.place(place)) has the binding version \(prefix.binding.rawValue), and its column "
                + "\(owner.version.rawValue)",
            hint: "somebody moved it from another column or database, or put back an older one; "
                + "restore the row from a backup",
            context: context)
    }

    func unknownForm(_ binding: CellBinding) -> LockstepError {
        malformed("was sealed in a form that this version does not support", binding)
    }

    /// A primary key that is not a number can itself be confidential, so messages leave it out.
    private func place(_ binding: CellBinding) -> String {
        switch binding {
        case .row(let row): "the cell of \(title) in row \(row)"
        case .column, .key: "a cell of \(title)"
        }
    }
}
