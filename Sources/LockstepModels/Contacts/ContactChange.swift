internal import Lockstep

/// One change of a contact.
public enum ContactChange: Sendable, Hashable {
    /// The first name, with its old and new value.
    case firstName(from: String, to: String)
    /// The last name, with its old and new value.
    case lastName(from: String, to: String)
    /// A telephone was added.
    case phoneAdded(Phone)
    /// The label, the number or both of a telephone, with the old and new values.
    case phoneChanged(from: Phone, to: Phone)
    /// A telephone was removed.
    case phoneRemoved(Phone)
}

extension Contact: Trackable {
    /// Whether it was inserted.
    public var isStored: Bool { id != 0 }

    /// The differences, names before telephones. The order of the telephones is not a difference: they are kept in the
    /// order in which they were added.
    public static func changes(from old: Contact, to new: Contact) -> [ContactChange] {
        var changes: [ContactChange] = []
        if !old.firstName.isSame(as: new.firstName) {
            changes.append(.firstName(from: old.firstName, to: new.firstName))
        }
        if !old.lastName.isSame(as: new.lastName) {
            changes.append(.lastName(from: old.lastName, to: new.lastName))
        }
        let kept = Set(new.phones.map(\.id))
        for phone in old.phones where !kept.contains(phone.id) {
            changes.append(.phoneRemoved(phone))
        }
        let known = Dictionary(old.phones.map { ($0.id, $0) }) { first, _ in first }
        for phone in new.phones {
            guard let former = known[phone.id] else {
                changes.append(.phoneAdded(phone))
                continue
            }
            if !former.label.isSame(as: phone.label) || !former.number.isSame(as: phone.number) {
                changes.append(.phoneChanged(from: former, to: phone))
            }
        }
        return changes
    }
}

extension String {
    /// Whether both are the same bytes: `==` treats `é` in one character and in two as equal, and a change from one to
    /// the other would be lost.
    func isSame(as other: String) -> Bool { ExactText(self) == ExactText(other) }
}
