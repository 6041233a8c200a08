public import Lockstep

/// A text editor's notes: lists of titles, bodies on demand and full-text search, all in the encrypted file.
public struct NoteStore: ModelStore {
    /// The migration set's name.
    public static let setName = "notes"

    /// The database that it works on.
    public let store: Store
    /// Microseconds since 1970.
    let now: @Sendable () -> Int64

    /// The notes in `store`.
    public init(_ store: Store) { self.init(store) { Clock.microsecondsSinceEpoch } }

    init(_ store: Store, now: @escaping @Sendable () -> Int64) {
        self.store = store
        self.now = now
    }

    // MARK: Notes

    /// Stores a new note and returns its key; returns nil for an empty text and changes nothing.
    /// - Throws: `LockstepError.Code.full`, and other errors of writing.
    @discardableResult
    public func create(_ text: String) throws -> Int64? {
        guard !text.isEmpty else { return nil }
        return try writing { try NoteSQL.insert(text, at: now(), $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func create(_ text: String) async throws -> Int64? {
        guard !text.isEmpty else { return nil }
        return try await writing { [now] in try NoteSQL.insert(text, at: now(), $0) }
    }

    /// Replaces a note's text, and its title with it. Returns false if there is no such note.
    /// - Throws: `LockstepError.Code.misuse` for an empty text.
    @discardableResult
    public func update(_ id: Int64, _ text: String) throws -> Bool {
        try NoteSQL.requireText(text)
        return try writing { try NoteSQL.update(id, text, at: now(), $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func update(_ id: Int64, _ text: String) async throws -> Bool {
        try NoteSQL.requireText(text)
        return try await writing { [now] in try NoteSQL.update(id, text, at: now(), $0) }
    }

    /// Deletes a note. Returns false if there was none.
    /// - Throws: The errors of every call; see ``ModelStore``.
    @discardableResult
    public func delete(_ id: Int64) throws -> Bool { try writing { try NoteSQL.delete(id, $0) } }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func delete(_ id: Int64) async throws -> Bool {
        try await writing { try NoteSQL.delete(id, $0) }
    }

    // MARK: Reading

    /// Titles, the latest change first; those without a date come last. Texts are not read: 10,000 titles come from the
    /// pages of one index.
    /// - Parameters:
    ///   - limit: The maximum number of titles.
    ///   - last: The last title of the previous page; nil for the first page.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func list(limit: Int = 100, after last: NoteTitle? = nil) throws -> [NoteTitle] {
        try reading { try NoteSQL.list(limit, last, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func list(limit: Int = 100, after last: NoteTitle? = nil) async throws -> [NoteTitle] {
        try await reading { try NoteSQL.list(limit, last, $0) }
    }

    /// A note's text, or nil if there is no such note.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func body(of id: Int64) throws -> String? { try reading { try NoteSQL.body(id, $0) } }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func body(of id: Int64) async throws -> String? {
        try await reading { try NoteSQL.body(id, $0) }
    }

    /// A note, or nil if there is none.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func note(_ id: Int64) throws -> Note? { try reading { try NoteSQL.note(id, $0) } }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func note(_ id: Int64) async throws -> Note? {
        try await reading { try NoteSQL.note(id, $0) }
    }

    /// How many notes there are.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func count() throws -> Int { try reading { try NoteSQL.count($0) } }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func count() async throws -> Int { try await reading { try NoteSQL.count($0) } }
}
