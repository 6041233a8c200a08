import ArgumentParser
import Lockstep

/// The recipient of an identity or plugin with the name of its slot, given as `NAME=age1…`.
struct NamedRecipient {
    let name: String
    let recipient: SlotRecipient

    /// - Parameter defaultName: The slot's name if the text has none; nil if a name is required.
    init(_ text: String, defaultName: String? = nil) throws {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        if parts.count == 2 {
            (name, recipient) = (parts[0], try SlotRecipient(parts[1]))
        } else if let defaultName {
            (name, recipient) = (defaultName, try SlotRecipient(text))
        } else {
            throw ValidationError("--recipient takes NAME=age1…, not \(text)")
        }
    }
}
