import ArgumentParser
import Lockstep

/// A recipient, of an identity or a plugin, and what its slot is called, given as `NAME=age1…`.
struct NamedRecipient {
    let name: String
    let recipient: SlotRecipient

    /// - Parameter usualName: What it is called where no name is given; nil where one has to be.
    init(_ text: String, defaultName: String? = nil) throws {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        if parts.count == 2 {
            (name, recipient) = (parts[0], try SlotRecipient(parts[1]))
        } else if let defaultName {
            (name, recipient) = (defaultName, try SlotRecipient(text))
        } else {
            throw ValidationError("--recipient is given as NAME=age1…, not as \(text)")
        }
    }
}
