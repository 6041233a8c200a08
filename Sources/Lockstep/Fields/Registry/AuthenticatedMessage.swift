/// What a MAC of the engine's own tables covers: a label and parts. No two different lists of parts give the same
/// bytes under one label.
///
/// Numbers are 8 bytes, big-endian. Texts and bytes have their length before them, as such a number. A part that may
/// be missing is one byte 0 where it is, and has one byte 1 before it where it is not.
struct AuthenticatedMessage {
    private var bytes: [UInt8] = []

    /// A message of the kind that `label` names.
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

    /// The message's code under the key of `mac`.
    func code(_ mac: borrowing HMAC) throws(LockstepError) -> [UInt8] {
        try mac.update(bytes.span)
        return try mac.finish()
    }
}
