import ArgumentParser
import Lockstep

/// A recipient and what its slot is called, given as `NAME=age1…`.
struct NamedRecipient {
    let name: String
    let recipient: Recipient

    /// - Parameter usualName: What it is called where no name is given; nil where one has to be.
    init(_ text: String, usualName: String? = nil) throws {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        if parts.count == 2 {
            (name, recipient) = (parts[0], try Recipient(parts[1]))
        } else if let usualName {
            (name, recipient) = (usualName, try Recipient(text))
        } else {
            throw ValidationError("--recipient is given as NAME=age1…, not as \(text)")
        }
    }
}
