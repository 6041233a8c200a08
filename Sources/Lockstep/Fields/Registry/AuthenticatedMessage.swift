/// The bytes that a MAC of the engine's own tables covers: a label and parts. Under one label, two different lists of
/// parts never give the same bytes.
///
/// Numbers are 8 bytes, big-endian. Texts and byte strings follow their length, which is such a number. An optional
/// part is one byte 0 if it is missing; otherwise it follows one byte 1.
struct AuthenticatedMessage {
    private var bytes: [UInt8] = []

    /// An empty message of the kind `label`.
    init(_ label: String) { add(label) }

    mutating func add(_ number: UInt64) { bytes += number.bigEndianBytes }

    mutating func add(_ part: [UInt8]) {
        add(UInt64(part.count))
        bytes += part
    }

    mutating func add(_ text: String) { add(Array(text.utf8)) }

    mutating func add(_ number: Int64?) {
        guard let number else { return bytes.append(0) }
        bytes.append(1)
        add(UInt64(bitPattern: number))
    }

    mutating func addOptional(_ text: String?) {
        guard let text else { return bytes.append(0) }
        bytes.append(1)
        add(text)
    }

    mutating func addOptional(_ part: [UInt8]?) {
        guard let part else { return bytes.append(0) }
        bytes.append(1)
        add(part)
    }

    /// A value of SQL: its storage class from 0 for NULL to 4 for BLOB, and what it holds.
    mutating func add(_ value: Value) {
        switch value {
        case .null: add(UInt64(0))
        case .integer(let number):
            add(UInt64(1))
            add(UInt64(bitPattern: number))
        case .real(let number):
            add(UInt64(2))
            add(number.bitPattern)
        case .text(let text):
            add(UInt64(3))
            add(text)
        case .blob(let bytes):
            add(UInt64(4))
            add(bytes)
        }
    }

    /// The message's SHA-256.
    func digest() throws(LockstepError) -> [UInt8] {
        try HashFunction.sha256.digest(bytes.span)
    }

    /// The message's MAC under the key of `mac`.
    func code(_ mac: borrowing HMAC) throws(LockstepError) -> [UInt8] {
        try mac.update(bytes.span)
        return try mac.finish()
    }
}
