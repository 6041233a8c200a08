internal import Lockstep

/// The same without blocking an actor. Cancelling the task interrupts a call, and nothing of it remains.
extension ContactStore {
    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func all() async throws -> [Contact] { try await reading { try ContactWork.all($0) } }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func contact(_ id: Int64) async throws -> Contact? {
        try await reading { try ContactWork.contact(id, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func contacts(withNumber number: String) async throws -> [Contact] {
        try await reading { try ContactWork.contacts(withNumber: number, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func count() async throws -> Int {
        try await reading { connection in
            try connection.value("SELECT count(*) FROM Contacts") ?? 0
        }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func insert(_ contact: Contact) async throws -> Contact {
        try await insert([contact])[0]
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func insert(_ contacts: [Contact]) async throws -> [Contact] {
        try await writing { connection in
            let table = try PhoneTable(connection)
            return try contacts.map { try ContactWork.insert($0, table, connection) }
        }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func update(_ contact: inout Tracked<Contact>) async throws -> Bool {
        var one = [contact]
        let count = try await save(&one)
        contact = one[0]
        return count > 0
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func save(_ contacts: inout [Tracked<Contact>]) async throws -> Int {
        let dirty = contacts
        let written = try await writing { try Self.save(dirty, $0) }
        return Self.clear(&contacts, written)
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func delete(_ id: Int64) async throws -> Bool {
        try await writing { try ContactWork.delete(id, $0) }
    }
}
