/// What the sealed columns of one connection share: random bytes, and memory to open cells in.
final class SealingTools {
    fileprivate var random = unsafe RandomSupply()
    fileprivate var nonce = [UInt8](repeating: 0, count: XAES256GCM.nonceLength)
    fileprivate let buffer = PlaintextBuffer()

    /// Puts a fresh nonce into ``nonce``.
    fileprivate func drawNonce() throws(LockstepError) {
        let filled = unsafe nonce.withUnsafeMutableBufferPointer { nonce in
            guard let start = nonce.baseAddress else { return false }
            return unsafe random.fill(start, Int32(XAES256GCM.nonceLength))
        }
        guard filled else {
            throw LockstepError(
                .cryptographyFailed, "OpenSSL gave no random bytes for a nonce",
                hint: "nothing was sealed; try again")
        }
    }
}

/// Seals and opens the cells of one column, on one thread at a time.
///
/// The column's keys are derived when they are first used, and kept.
final class ColumnCipher {
    /// The column's identifier in its dataset.
    let column: UInt32
    private let keys: FieldKeys
    private let tools: SealingTools
    private let padding: CellPadding
    private var versions: [VersionCipher] = []

    /// - Throws: What ``FieldKeys/columnKey(_:version:format:count:)`` throws.
    init(
        column: UInt32, _ keys: FieldKeys, _ tools: SealingTools, padding: CellPadding = .none
    ) throws(LockstepError) {
        self.column = column
        self.keys = keys
        self.tools = tools
        self.padding = padding
        // Cells of the active version are asked for first.
        versions = [try VersionCipher(keys.activeVersion, column, keys)]
    }

    /// The cell of a value at its place, under the active key.
    /// - Throws: ``LockstepError/Code/misuse`` for a value or a place that cannot be,
    ///   ``LockstepError/Code/cryptographyFailed``.
    func seal(_ value: CellValue, at binding: CellBinding) throws(LockstepError) -> [UInt8] {
        let length = try CellPlaintext.length(of: value, padding)
        var cell = [UInt8](repeating: 0, count: CellFormat.random.overhead + length)
        try tools.drawNonce()
        let (active, nonce) = (versions[0], tools.nonce)
        let head = CellFormat.prefixLength + XAES256GCM.nonceLength
        try unsafe cell.withUnsafeMutableBufferPointer { bytes throws(LockstepError) in
            for index in 0..<CellFormat.prefixLength { unsafe bytes[index] = active.prefix[index] }
            for index in 0..<XAES256GCM.nonceLength {
                unsafe bytes[CellFormat.prefixLength + index] = nonce[index]
            }
            var message = unsafe MutableSpan(
                _unsafeElements: UnsafeMutableBufferPointer(rebasing: bytes[head...]))
            try CellPlaintext.write(value, padding, to: &message)
            try active.seal(&message, nonce.span, binding)
        }
        return cell
    }

    /// The value of a cell that was sealed at this place.
    /// - Throws: ``LockstepError/Code/cellMalformed``, ``LockstepError/Code/cellForged``,
    ///   ``LockstepError/Code/keyUnavailable``.
    func open(_ cell: Span<UInt8>, at binding: CellBinding) throws(LockstepError) -> CellValue {
        guard let prefix = CellPrefix(cell), prefix.format == .random else {
            throw malformed("holds no sealed value", binding)
        }
        let version = try version(prefix.keyVersion)
        let head = CellFormat.prefixLength + XAES256GCM.nonceLength
        let nonce = cell.extracting(CellFormat.prefixLength..<head)
        let sealed = cell.extracting(head...)
        let value = try tools.buffer.with(sealed.count - XAES256GCM.tagLength) {
            plaintext throws(LockstepError) -> CellValue?? in
            guard try version.open(sealed, nonce, binding, into: &plaintext) else { return .none }
            return .some(CellPlaintext.read(plaintext.span))
        }
        switch value {
        case .some(.some(let value)): return value
        case .some(.none):
            throw malformed("was sealed in a form that this version does not know", binding)
        case .none:
            throw LockstepError(
                .cellForged, "\(place(binding)) does not authenticate",
                hint: "it was changed, or moved from elsewhere; restore the row from a backup")
        }
    }

    private func version(_ number: UInt32) throws(LockstepError) -> VersionCipher {
        for cipher in versions where cipher.number == number { return cipher }
        let cipher = try VersionCipher(number, column, keys)
        versions.append(cipher)
        return cipher
    }

    private func malformed(_ what: String, _ binding: CellBinding) -> LockstepError {
        LockstepError(
            .cellMalformed, "\(place(binding)) \(what)",
            hint: "somebody wrote to a sealed column without sealing, or a newer version did")
    }

    /// Keys other than numbers may be what is protected.
    private func place(_ binding: CellBinding) -> String {
        switch binding {
        case .row(let row): "the cell of column \(column) in row \(row)"
        case .column, .key: "a cell of column \(column)"
        }
    }
}

/// One version of a column's key.
private final class VersionCipher {
    let number: UInt32
    let prefix: [UInt8]
    private var cipher: XAES256GCM
    private var associatedData: AssociatedData

    init(_ number: UInt32, _ column: UInt32, _ keys: FieldKeys) throws(LockstepError) {
        let key = try keys.columnKey(
            column, version: number, format: CellFormat.random.rawValue)
        cipher = try XAES256GCM(key: key.bytes)
        let prefix = CellPrefix(.random, keyVersion: number)
        self.number = number
        self.prefix = prefix.bytes
        associatedData = AssociatedData(prefix, dataset: keys.dataset, column: column)
    }

    func seal(
        _ message: inout MutableSpan<UInt8>, _ nonce: Span<UInt8>, _ binding: CellBinding
    ) throws(LockstepError) {
        try associatedData.with(binding) { data throws(LockstepError) in
            try cipher.seal(inPlace: &message, nonce: nonce, associatedData: data)
        }
    }

    func open(
        _ sealed: Span<UInt8>, _ nonce: Span<UInt8>, _ binding: CellBinding,
        into plaintext: inout MutableSpan<UInt8>
    ) throws(LockstepError) -> Bool {
        try associatedData.with(binding) { data throws(LockstepError) in
            try cipher.open(sealed, nonce: nonce, associatedData: data, into: &plaintext)
        }
    }
}
