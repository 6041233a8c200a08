/// What the sealed columns of one connection share: random bytes, and memory to open cells in.
package final class SealingTools {
    fileprivate var random = unsafe RandomSupply()
    fileprivate let buffer = PlaintextBuffer()

    package init() {}

    /// Writes a fresh nonce to where it belongs.
    fileprivate func drawNonce(
        to nonce: UnsafeMutableBufferPointer<UInt8>
    ) throws(LockstepError) {
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
    private let keys: FieldKeys
    private let tools: SealingTools
    private let padding: CellPadding
    private var versions: [VersionCipher] = []

    /// - Throws: What ``FieldKeys/columnKey(_:version:format:count:)`` throws.
    package init(
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
    package func seal(_ value: CellValue, at binding: CellBinding) throws(LockstepError) -> [UInt8]
    {
        let length = try CellPlaintext.length(of: value, padding)
        var cell = [UInt8](repeating: 0, count: CellFormat.random.overhead + length)
        let active = versions[0]
        let head = CellFormat.prefixLength + XAES256GCM.nonceLength
        try unsafe cell.withUnsafeMutableBufferPointer { bytes throws(LockstepError) in
            for index in 0..<CellFormat.prefixLength { unsafe bytes[index] = active.prefix[index] }
            let drawn = unsafe UnsafeMutableBufferPointer(
                rebasing: bytes[CellFormat.prefixLength..<head])
            try unsafe tools.drawNonce(to: drawn)
            let nonce = unsafe Span(_unsafeElements: UnsafeBufferPointer(drawn))
            var message = unsafe MutableSpan(
                _unsafeElements: UnsafeMutableBufferPointer(rebasing: bytes[head...]))
            try CellPlaintext.write(value, padding, to: &message)
            try active.seal(&message, nonce, binding)
        }
        return cell
    }

    /// The value of a cell that was sealed at this place.
    /// - Throws: ``LockstepError/Code/cellMalformed``, ``LockstepError/Code/cellForged``,
    ///   ``LockstepError/Code/keyUnavailable``.
    package func open(_ cell: Span<UInt8>, at binding: CellBinding) throws(LockstepError)
        -> CellValue
    {
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
    /// In one piece: each access to a property of a class is checked while the program runs.
    private var state: State

    fileprivate struct State: ~Copyable {
        var cipher: XAES256GCM
        var associatedData: AssociatedData
    }

    init(_ number: UInt32, _ column: UInt32, _ keys: FieldKeys) throws(LockstepError) {
        let key = try keys.columnKey(
            column, version: number, format: CellFormat.random.rawValue)
        let cipher = try XAES256GCM(key: key.bytes)
        let prefix = CellPrefix(.random, keyVersion: number)
        self.number = number
        self.prefix = prefix.bytes
        state = State(
            cipher: cipher,
            associatedData: AssociatedData(prefix, dataset: keys.dataset, column: column))
    }

    func seal(
        _ message: inout MutableSpan<UInt8>, _ nonce: Span<UInt8>, _ binding: CellBinding
    ) throws(LockstepError) {
        try state.seal(&message, nonce, binding)
    }

    func open(
        _ sealed: Span<UInt8>, _ nonce: Span<UInt8>, _ binding: CellBinding,
        into plaintext: inout MutableSpan<UInt8>
    ) throws(LockstepError) -> Bool {
        try state.open(sealed, nonce, binding, into: &plaintext)
    }
}

extension VersionCipher.State {
    mutating func seal(
        _ message: inout MutableSpan<UInt8>, _ nonce: Span<UInt8>, _ binding: CellBinding
    ) throws(LockstepError) {
        let data = try associatedData.bytes(binding)
        try cipher.seal(inPlace: &message, nonce: nonce, associatedData: data.span)
    }

    mutating func open(
        _ sealed: Span<UInt8>, _ nonce: Span<UInt8>, _ binding: CellBinding,
        into plaintext: inout MutableSpan<UInt8>
    ) throws(LockstepError) -> Bool {
        let data = try associatedData.bytes(binding)
        return try cipher.open(
            sealed, nonce: nonce, associatedData: data.span, into: &plaintext)
    }
}
