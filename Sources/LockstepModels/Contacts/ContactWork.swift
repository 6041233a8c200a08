internal import Lockstep

/// Operations on a connection, inside one of the store's transactions.
enum ContactWork {
    // MARK: Reading

    static func all(_ connection: borrowing Connection) throws -> [Contact] {
        let table = try PhoneTable(connection)
        let phones = try connection.query(
            "SELECT \(Phone.columns), contact FROM \(table.name) ORDER BY id"
        ) { row in (owner: try row[3] as Int64, phone: try Phone(row: row)) }
        let owned = Dictionary(grouping: phones, by: \.owner)
        return try connection.query("SELECT \(Contact.columns) FROM Contacts \(Contact.order)") {
            row in
            var contact = try Contact(row: row)
            contact.phones = owned[contact.id]?.map(\.phone) ?? []
            return contact
        }
    }

    static func contact(_ id: Int64, _ connection: borrowing Connection) throws -> Contact? {
        let table = try PhoneTable(connection)
        let found = try connection.first(
            "SELECT \(Contact.columns) FROM Contacts WHERE idx = \(id)"
        ) { row in try Contact(row: row) }
        guard var contact = found else { return nil }
        contact.phones = try phones(of: id, table, connection)
        return contact
    }

    static func phones(
        of contact: Int64, _ table: PhoneTable, _ connection: borrowing Connection
    ) throws -> [Phone] {
        try connection.query(
            "SELECT \(Phone.columns) FROM \(table.name) WHERE contact = \(contact) ORDER BY id"
        ) { row in try Phone(row: row) }
    }

    static func contacts(
        withNumber number: String, _ connection: borrowing Connection
    ) throws -> [Contact] {
        try owners(ofNumber: number, connection).compactMap { try contact($0, connection) }
    }

    private static func owners(
        ofNumber number: String, _ connection: borrowing Connection
    ) throws -> [Int64] {
        let table = try PhoneTable(connection)
        let digits = PhoneTable.digits(of: number)
        guard !digits.isEmpty else { return [] }
        if table.isSealed {
            return try connection.query(try lookUp(number, connection)) { row in try row[0] as Int64
            }
        }
        var owners: [Int64] = []
        let all = try connection.prepare("SELECT contact, number FROM phone ORDER BY contact")
        try all.forEach { row in
            let owner: Int64 = try row[0]
            if owners.last != owner, PhoneTable.digits(of: try row[1]) == digits {
                owners.append(owner)
            }
        }
        return owners
    }

    /// The contacts that have a number with these digits, by the blind index.
    static func lookUp(_ number: String, _ connection: borrowing Connection) throws -> SQL {
        let found = try connection.matching("number", of: "phone", .same(as: .text(number), under: .digits))
        return "SELECT DISTINCT contact FROM phone_open WHERE \(found) ORDER BY contact"
    }

    // MARK: Writing

    static func insert(
        _ contact: Contact, _ table: PhoneTable, _ connection: borrowing Connection
    ) throws -> Contact {
        try requireName(contact)
        try connection.execute(
            "INSERT INTO Contacts (firstname, lastname) VALUES (?, ?)", contact.firstName, contact.lastName)
        var inserted = contact
        inserted.id = connection.lastInsertedRowID
        for index in inserted.phones.indices {
            try insert(&inserted.phones[index], of: inserted.id, table, connection)
        }
        return inserted
    }

    static func delete(_ id: Int64, _ connection: borrowing Connection) throws -> Bool {
        try connection.execute("DELETE FROM Contacts WHERE idx = ?", id)
        return connection.changes > 0
    }

    /// Writes the changes, and returns the contact as then stored; nil if nothing changed, or it was never stored.
    static func update(
        _ contact: Tracked<Contact>, _ table: PhoneTable, _ connection: borrowing Connection
    ) throws -> Contact? {
        let changes = contact.changes
        guard contact.isStored, !changes.isEmpty else { return nil }
        let id = contact.current.id
        try requireOwnPhones(contact)
        guard try exists("SELECT 1 FROM Contacts WHERE idx = \(id)", connection) else {
            throw gone("contact", id)
        }
        for change in changes {
            switch change {
            case .firstName(_, let name):
                try requireName(contact.current)
                try connection.execute("UPDATE Contacts SET firstname = ? WHERE idx = ?", name, id)
            case .lastName(_, let name):
                try requireName(contact.current)
                try connection.execute("UPDATE Contacts SET lastname = ? WHERE idx = ?", name, id)
            case .phoneRemoved(let phone):
                try connection.execute("DELETE FROM phone WHERE id = ? AND contact = ?", phone.id, id)
            case .phoneChanged(let old, let new):
                try update(from: old, to: new, of: id, table, connection)
            case .phoneAdded: break
            }
        }
        var stored = contact.current
        for index in stored.phones.indices where stored.phones[index].id == 0 {
            try insert(&stored.phones[index], of: id, table, connection)
        }
        stored.phones.sort { $0.id < $1.id }
        return stored
    }

    private static func update(
        from old: Phone, to new: Phone, of contact: Int64, _ table: PhoneTable, _ connection: borrowing Connection
    ) throws {
        guard
            try exists(
                "SELECT 1 FROM phone WHERE id = \(new.id) AND contact = \(contact)", connection)
        else { throw gone("telephone", new.id) }
        if !old.label.isSame(as: new.label) {
            try connection.execute("UPDATE phone SET label = ? WHERE id = ?", new.label, new.id)
        }
        if !old.number.isSame(as: new.number) {
            try requireNumber(new)
            try connection.execute("UPDATE \(table.name) SET number = \(new.number) WHERE id = \(new.id)")
        }
    }

    private static func insert(
        _ phone: inout Phone, of contact: Int64, _ table: PhoneTable, _ connection: borrowing Connection
    ) throws {
        try requireNumber(phone)
        // A view does not report the key of a new row.
        let key = table.isSealed ? try NextKeys.first(in: "phone", "id", connection) : nil
        try connection.execute(
            """
            INSERT INTO \(table.name) (id, contact, label, number)
            VALUES (\(key), \(contact), \(phone.label), \(phone.number))
            """)
        phone.id = key ?? connection.lastInsertedRowID
    }

    // MARK: Checks

    private static func exists(_ query: SQL, _ connection: borrowing Connection) throws -> Bool {
        try connection.first(query) { _ in true } ?? false
    }

    private static func requireName(_ contact: Contact) throws(LockstepError) {
        guard contact.hasName else {
            throw LockstepError(.malformedInput, "the contact has no name", hint: "give a first name or a last name")
        }
    }

    private static func requireNumber(_ phone: Phone) throws(LockstepError) {
        guard !phone.number.isEmpty else {
            throw LockstepError(
                .malformedInput, "the telephone has no number", hint: "give a number, or remove the telephone")
        }
    }

    /// A telephone that was copied from another contact, or twice, has a key that is not its own.
    private static func requireOwnPhones(_ contact: Tracked<Contact>) throws(LockstepError) {
        var own = Set(contact.stored?.phones.map(\.id) ?? [])
        for phone in contact.current.phones where phone.id != 0 {
            guard own.remove(phone.id) != nil else {
                throw LockstepError(
                    .misuse, "the telephone with the id \(phone.id) is not the contact's, or is listed twice",
                    hint: "make a new telephone with its number")
            }
        }
    }

    private static func gone(_ kind: String, _ id: Int64) -> LockstepError {
        LockstepError(
            .notFound, "the \(kind) with the id \(id) is gone",
            hint: "it was removed in the meantime: read the contact again")
    }
}

/// The table or view of the telephones: from version 3 on their numbers are sealed, and a view opens them.
struct PhoneTable {
    /// The table, or its readable view.
    let name: SQL
    let isSealed: Bool

    /// - Throws: `LockstepError.Code.keyUnavailable` if the numbers are sealed and the connection has no keys.
    init(_ connection: borrowing Connection) throws {
        name = try connection.readable("phone")
        isSealed = try connection.isSealed("number", of: "phone")
    }

    /// The digits, as the normaliser `digits` returns them.
    static func digits(of number: String) -> [UInt8] {
        number.utf8.filter(\.isASCIIDigit)
    }
}
