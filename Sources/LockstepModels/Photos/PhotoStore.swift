public import Lockstep

/// Photos with their content in the encrypted file. Lists never read the content, which is streamed, so that memory use
/// does not depend on its length.
///
/// If the content is sealed, the same calls work on a store opened with the dataset's keys.
public struct PhotoStore: ModelStore {
    /// The migration set's name.
    public static let setName = "photos"

    /// Longer content is stored in parts of this length, 8 MiB; a write holds one part in memory. Smaller parts would
    /// mean more rows, larger ones more memory: renaming a photo, or sealing its content, holds one part in memory
    /// twice.
    public static let partLength = 8 * 1024 * 1024

    /// The database that it works on.
    public let store: Store
    let partLength: Int

    /// The photos in `store`.
    public init(_ store: Store) { self.init(store, partLength: Self.partLength) }

    init(_ store: Store, partLength: Int) {
        self.store = store
        self.partLength = partLength
    }

    // MARK: Lists

    /// All photos by key, without their content.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func all() throws -> [Photo] { try reading { try PhotoTables.all($0) } }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func all() async throws -> [Photo] { try await reading { try PhotoTables.all($0) } }

    /// A photo's details, or nil if there is none.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func photo(_ id: Int64) throws -> Photo? {
        try reading { try PhotoTables.photo(id, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func photo(_ id: Int64) async throws -> Photo? {
        try await reading { try PhotoTables.photo(id, $0) }
    }

    /// The photos whose content has this SHA-256, which means equal content.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func photos(withSHA256 sha256: [UInt8]) throws -> [Photo] {
        try reading { try PhotoTables.photos(of: sha256, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func photos(withSHA256 sha256: [UInt8]) async throws -> [Photo] {
        try await reading { try PhotoTables.photos(of: sha256, $0) }
    }

    /// The photos that share their content with others: each group has the same content.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func duplicates() throws -> [[Photo]] { try reading { try PhotoTables.duplicates($0) } }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func duplicates() async throws -> [[Photo]] {
        try await reading { try PhotoTables.duplicates($0) }
    }

    /// How many photos there are.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func count() throws -> Int { try reading { try PhotoTables.count($0) } }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func count() async throws -> Int { try await reading { try PhotoTables.count($0) } }

    // MARK: Changes

    /// Renames a photo. Returns false if there is no such photo.
    /// - Throws: The errors of every call; see ``ModelStore``.
    @discardableResult
    public func rename(_ id: Int64, _ name: String) throws -> Bool {
        try writing { try PhotoTables.rename(id, name, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func rename(_ id: Int64, _ name: String) async throws -> Bool {
        try await writing { try PhotoTables.rename(id, name, $0) }
    }

    /// Deletes a photo with its content. Returns false if there was none.
    /// - Throws: The errors of every call; see ``ModelStore``.
    @discardableResult
    public func delete(_ id: Int64) throws -> Bool {
        try writing { try PhotoTables.delete(id, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func delete(_ id: Int64) async throws -> Bool {
        try await writing { try PhotoTables.delete(id, $0) }
    }

    // MARK: Sealing

    /// Seals the content of all photos, including future ones, under the keys of a dataset, which the store must have
    /// been opened with: someone who can open the database, but does not have the keys, can no longer read it. Names,
    /// media types, sizes and SHA-256s stay visible, so a known image can be recognised.
    ///
    /// If it is killed, calling it again continues where it stopped. Needs about twice the file's size in free space.
    /// Blocks.
    /// - Throws: The same as `SealingChange.run(on:keys:progress:)`.
    public func seal(
        keys: FieldKeys, padding: CellPadding = .none,
        progress: JobProgress.Handler = { _ in }
    ) throws {
        try store.blocking.withoutTransaction { connection in
            // A long photo's parts first: no content is written unsealed once some of it is sealed.
            for (column, table) in [(PhotoTables.bytes, PhotoTables.parts), (PhotoTables.content, PhotoTables.photos)] {
                try connection.protect(column, of: table, keys: keys, padding: padding, batch: 16, progress: progress)
            }
        }
    }
}
