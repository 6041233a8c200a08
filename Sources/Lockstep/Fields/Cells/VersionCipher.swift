/// One version of a column's key, for one format of cells.
protocol VersionCipher: AnyObject {
    var number: UInt32 { get }
    var binding: BindingVersion { get }
    /// The first bytes of its cells.
    var prefix: [UInt8] { get }

    /// Seals a whole cell in place. Its prefix is already written; its plaintext is after the header, or at the end for
    /// a chunked cell.
    func seal(
        _ cell: UnsafeMutableBufferPointer<UInt8>, _ tools: SealingTools, _ binding: CellBinding
    ) throws(LockstepError)

    /// Opens a whole cell of this format and version; false if it does not authenticate.
    func open(
        _ cell: Span<UInt8>, _ binding: CellBinding, into plaintext: inout MutableSpan<UInt8>
    ) throws(LockstepError) -> Bool
}

extension CellFormat {
    /// - Throws: The errors of ``FieldKeys/columnKey(_:version:format:count:)``.
    func cipher(
        _ version: UInt32, _ owner: CellOwner, _ keys: FieldKeys
    ) throws(LockstepError) -> any VersionCipher {
        switch self {
        case .random: try RandomCipher(version, owner, keys)
        case .deterministic: try DeterministicCipher(version, owner, keys)
        case .chunked: try ChunkedCipher(version, owner, keys)
        }
    }
}

/// Seals with a random nonce, bound to a row.
final class RandomCipher: VersionCipher {
    let number: UInt32
    let binding: BindingVersion
    let prefix: [UInt8]
    /// One property, because Swift checks each access to a class's property at run time.
    private var state: State

    struct State: ~Copyable {
        var cipher: XAES256GCM
        var associatedData: AssociatedData
    }

    init(_ number: UInt32, _ owner: CellOwner, _ keys: FieldKeys) throws(LockstepError) {
        let key = try keys.columnKey(owner.bytes, version: number, format: CellFormat.random.byte(owner.version))
        let cipher = try XAES256GCM(key: key.bytes)
        let prefix = CellPrefix(.random, owner.version, keyVersion: number)
        self.number = number
        binding = owner.version
        self.prefix = prefix.bytes
        state = State(
            cipher: cipher,
            associatedData: AssociatedData(prefix, dataset: keys.dataset, owner))
    }

    func seal(
        _ cell: UnsafeMutableBufferPointer<UInt8>, _ tools: SealingTools, _ binding: CellBinding
    ) throws(LockstepError) {
        let start = CellFormat.random.headerLength
        let drawn = unsafe UnsafeMutableBufferPointer(rebasing: cell[CellFormat.prefixLength..<start])
        try unsafe tools.drawNonce(to: drawn)
        let nonce = unsafe Span(_unsafeElements: UnsafeBufferPointer(drawn))
        var message = unsafe MutableSpan(_unsafeElements: UnsafeMutableBufferPointer(rebasing: cell[start...]))
        try state.seal(&message, nonce, binding)
    }

    func open(
        _ cell: Span<UInt8>, _ binding: CellBinding, into plaintext: inout MutableSpan<UInt8>
    ) throws(LockstepError) -> Bool {
        let start = CellFormat.random.headerLength
        return try state.open(
            cell.extracting(start...), cell.extracting(CellFormat.prefixLength..<start), binding, into: &plaintext)
    }
}

extension RandomCipher.State {
    mutating func seal(
        _ message: inout MutableSpan<UInt8>, _ nonce: Span<UInt8>, _ binding: CellBinding
    ) throws(LockstepError) {
        let data = try associatedData.bytes(binding)
        try cipher.seal(inPlace: &message, nonce: nonce, associatedData: data.span)
    }

    mutating func open(
        _ sealed: Span<UInt8>, _ nonce: Span<UInt8>, _ binding: CellBinding, into plaintext: inout MutableSpan<UInt8>
    ) throws(LockstepError) -> Bool {
        let data = try associatedData.bytes(binding)
        return try cipher.open(
            sealed, nonce: nonce, associatedData: data.span, into: &plaintext)
    }
}

/// Seals equal values to equal cells, in any row.
final class DeterministicCipher: VersionCipher {
    let number: UInt32
    let binding: BindingVersion
    let prefix: [UInt8]
    private let cipher: AES256SIV
    private let associatedData: [UInt8]

    init(_ number: UInt32, _ owner: CellOwner, _ keys: FieldKeys) throws(LockstepError) {
        let key = try keys.columnKey(
            owner.bytes, version: number, format: CellFormat.deterministic.byte(owner.version),
            count: AES256SIV.keyLength)
        let cipher = try AES256SIV(key: key.bytes)
        let prefix = CellPrefix(.deterministic, owner.version, keyVersion: number)
        var data = AssociatedData(prefix, dataset: keys.dataset, owner)
        associatedData = try data.bytes(.column)
        self.number = number
        binding = owner.version
        self.prefix = prefix.bytes
        self.cipher = cipher
    }

    func seal(
        _ cell: UnsafeMutableBufferPointer<UInt8>, _: SealingTools, _: CellBinding
    ) throws(LockstepError) {
        var message = unsafe MutableSpan(
            _unsafeElements: UnsafeMutableBufferPointer(
                rebasing: cell[CellFormat.prefixLength...]))
        let data = associatedData
        try cipher.seal(inPlace: &message, associatedData: data.span)
    }

    func open(
        _ cell: Span<UInt8>, _: CellBinding, into plaintext: inout MutableSpan<UInt8>
    ) throws(LockstepError) -> Bool {
        let data = associatedData
        return try cipher.open(
            cell.extracting(CellFormat.prefixLength...), associatedData: data.span,
            into: &plaintext)
    }
}
