public import Lockstep

/// People and their telephones. Works on the set `contacts` from version 2 on; from version 3 on the numbers of the
/// telephones are sealed, and the connections need the keys of the dataset `contacts` in
/// `ConnectionOptions.fieldKeys`. Without them `ModelStore.open` does not migrate to that
/// version, and a store that is on it already throws `LockstepError.Code.keyUnavailable`.
///
/// A store stays open for as long as the program needs it, and any number of tasks can call at once. Each call is one
/// transaction.
public struct ContactStore: ModelStore {
    /// The migration set's name.
    public static let setName = "contacts"
    /// The datasets of the columns that its set seals.
    public static let datasets = ["contacts"]

    /// The database that it works on.
    public let store: Store

    /// The contacts in `store`.
    public init(_ store: Store) { self.store = store }

    // MARK: Reading

    /// All contacts with their telephones, by last and first name.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func all() throws -> [Contact] { try reading { try ContactWork.all($0) } }

    /// The contact with this key, or nil.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func contact(_ id: Int64) throws -> Contact? {
        try reading { try ContactWork.contact(id, $0) }
    }

    /// The contacts that have a telephone with the same digits, regardless of other characters: `+49 221-1` and
    /// `492211` are the same, `0221 1` is different. A number without digits is not found. From version 3 on a blind
    /// index finds them; before, all numbers are compared.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func contacts(withNumber number: String) throws -> [Contact] {
        try reading { try ContactWork.contacts(withNumber: number, $0) }
    }

    /// How many contacts there are.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func count() throws -> Int {
        try reading { connection in
            try connection.value("SELECT count(*) FROM Contacts") ?? 0
        }
    }

    // MARK: Writing

    /// Inserts a contact, and returns it with its key and those of its telephones.
    /// - Throws: `LockstepError.Code.malformedInput` for one without a name, or with a telephone without a number.
    @discardableResult
    public func insert(_ contact: Contact) throws -> Contact {
        try insert([contact])[0]
    }

    /// Inserts contacts, all or none.
    /// - Throws: The same as one contact.
    @discardableResult
    public func insert(_ contacts: [Contact]) throws -> [Contact] {
        try writing { connection in
            let table = try PhoneTable(connection)
            return try contacts.map { try ContactWork.insert($0, table, connection) }
        }
    }

    /// Writes only what changed of a contact, and clears the mark.
    /// - Returns: Whether anything was written: false if nothing was changed, or the contact was never inserted.
    /// - Throws: `LockstepError.Code.notFound` if the contact, or a changed telephone, is gone;
    ///   `LockstepError.Code.malformedInput` if a name or number would be missing. Then nothing is written, and the
    ///   mark stays.
    @discardableResult
    public func update(_ contact: inout Tracked<Contact>) throws -> Bool {
        var one = [contact]
        let count = try save(&one)
        contact = one[0]
        return count > 0
    }

    /// Changes the contact with this key as it is now: nobody writes it between the reading and the writing.
    /// - Returns: Whether there is such a contact.
    /// - Throws: The same as `insert`; the errors of `change`, and then the contact stays as it is.
    package func change(_ id: Int64, _ change: (inout Contact) throws -> Void) throws -> Bool {
        try writing { connection in
            guard let contact = try ContactWork.contact(id, connection) else { return false }
            var tracked = Tracked(contact)
            try change(&tracked.current)
            _ = try Self.save([tracked], connection)
            return true
        }
    }

    /// Writes what changed of all contacts, in one transaction, and clears their marks: what a program does before it
    /// moves to the background.
    /// - Returns: How many were written; unchanged contacts, and those never inserted, are not.
    /// - Throws: The same as `update`; then none is written, and all marks stay.
    @discardableResult
    public func save(_ contacts: inout [Tracked<Contact>]) throws -> Int {
        let dirty = contacts
        return Self.clear(&contacts, try writing { try Self.save(dirty, $0) })
    }

    /// Deletes the contact with this key, and its telephones.
    /// - Returns: Whether there was one.
    /// - Throws: The errors of every call; see ``ModelStore``.
    @discardableResult
    public func delete(_ id: Int64) throws -> Bool {
        try writing { try ContactWork.delete(id, $0) }
    }

    // MARK: Parts

    static func save(
        _ contacts: [Tracked<Contact>], _ connection: borrowing Connection
    ) throws -> [Contact?] {
        guard contacts.contains(where: { $0.isStored && $0.isDirty }) else {
            return contacts.map { _ in nil }
        }
        let table = try PhoneTable(connection)
        return try contacts.map { try ContactWork.update($0, table, connection) }
    }

    /// Records what was written, once it is durable.
    static func clear(_ contacts: inout [Tracked<Contact>], _ written: [Contact?]) -> Int {
        var count = 0
        for (index, contact) in written.enumerated() {
            guard let contact else { continue }
            contacts[index].clear(contact)
            count += 1
        }
        return count
    }
}
