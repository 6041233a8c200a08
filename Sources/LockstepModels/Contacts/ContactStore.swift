public import Lockstep

/// People and their telephones. Works on the set `contacts` from version 2 on; from version 3 on the numbers of the
/// telephones are sealed, and the connections need the keys of the dataset `contacts` in
/// ``ConnectionOptions/fieldKeys``. Without them ``ModelStore/open(_:key:template:options:)`` does not migrate to that
/// version, and a store that is on it already throws ``LockstepError/Code/keyUnavailable``.
///
/// A store stays open for as long as the program needs it, and any number of tasks may call at once. Each call is one
/// transaction.
public struct ContactStore: ModelStore {
    /// The migration set's name.
    public static let setName = "contacts"

    /// The database that it works on.
    public let store: Store

    /// The contacts in `store`.
    public init(_ store: Store) { self.store = store }

    // MARK: Reading

    /// All contacts with their telephones, by last and first name.
    /// - Throws: ``LockstepError``.
    public func all() throws -> [Contact] {
        try reading { connection in try ContactWork.all(connection) }
    }

    /// The contact with this key, or nil.
    /// - Throws: ``LockstepError``.
    public func contact(_ id: Int64) throws -> Contact? {
        try reading { connection in try ContactWork.contact(id, connection) }
    }

    /// The contacts that have a telephone with the same digits, whatever stands between them: `+49 221-1` and `492211`
    /// are the same, `0221 1` is another. What has no digits is not found. From version 3 on a blind index finds
    /// them; before, all numbers are looked at.
    /// - Throws: ``LockstepError``.
    public func contacts(withNumber number: String) throws -> [Contact] {
        try reading { connection in try ContactWork.contacts(withNumber: number, connection) }
    }

    /// How many contacts there are.
    /// - Throws: ``LockstepError``.
    public func count() throws -> Int {
        try reading { connection in
            try connection.value("SELECT count(*) FROM Contacts") ?? 0
        }
    }

    // MARK: Writing

    /// Inserts a contact, and gives it with its keys and those of its telephones.
    /// - Throws: ``LockstepError/Code/malformedInput`` for one without a name, or with a telephone without a number.
    @discardableResult
    public func insert(_ contact: Contact) throws -> Contact {
        try insert([contact])[0]
    }

    /// Inserts contacts, all or none.
    /// - Throws: as ``insert(_:)``.
    @discardableResult
    public func insert(_ contacts: [Contact]) throws -> [Contact] {
        try writing { connection in
            let table = try PhoneTable(connection)
            return try contacts.map { try ContactWork.insert($0, table, connection) }
        }
    }

    /// Writes what was changed of a contact, and nothing else, and clears the mark.
    /// - Returns: Whether anything was written: not where nothing was changed, or it was never inserted.
    /// - Throws: ``LockstepError/Code/notFound`` if the contact, or a telephone that was changed, is gone;
    ///   ``LockstepError/Code/malformedInput`` for one that would have no name or number. Then nothing is written, and
    ///   the mark stays.
    @discardableResult
    public func update(_ contact: inout Tracked<Contact>) throws -> Bool {
        var one = [contact]
        let count = try save(&one)
        contact = one[0]
        return count > 0
    }

    /// Writes what was changed of all contacts, in one transaction, and clears their marks: what a program does before
    /// it is put into the background.
    /// - Returns: How many were written; those that were not changed, or never inserted, are not.
    /// - Throws: as ``update(_:)``; then none is written, and all marks stay.
    @discardableResult
    public func save(_ contacts: inout [Tracked<Contact>]) throws -> Int {
        let dirty = contacts
        return Self.clear(&contacts, try writing { connection in try Self.save(dirty, connection) })
    }

    /// Deletes the contact with this key, and with it the telephones.
    /// - Returns: Whether there was one.
    /// - Throws: ``LockstepError``.
    @discardableResult
    public func delete(_ id: Int64) throws -> Bool {
        try writing { connection in try ContactWork.delete(id, connection) }
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

    /// Takes over what was written, once that is durable.
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
