public import Lockstep

/// Photos with their content in the encrypted file. Lists never read it, and it streams in and out, so that its length
/// does not matter to the memory.
///
/// Where the content is sealed, the same calls work if the store is opened with the dataset's keys.
public struct PhotoStore: ModelStore {
    /// The migration set's name.
    public static let setName = "photos"

    /// Content that is longer lies in parts of this length, 8 MiB; a write holds one of them in memory. Less of it would
    /// be more rows, more of it more memory: whoever renames a photo, or seals its content, has one in memory twice.
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
    public func all() throws -> [Photo] { try reading { try PhotoTables.all($0) } }

    /// The same without blocking.
    /// - Throws: as its blocking form; `CancellationError`.
    public func all() async throws -> [Photo] { try await reading { try PhotoTables.all($0) } }

    /// What is known of a photo, or nil if there is none.
    public func photo(_ id: Int64) throws -> Photo? {
        try reading { try PhotoTables.photo(id, $0) }
    }

    /// The same without blocking.
    /// - Throws: as its blocking form; `CancellationError`.
    public func photo(_ id: Int64) async throws -> Photo? {
        try await reading { try PhotoTables.photo(id, $0) }
    }

    /// The photos whose content has this SHA-256: those of equal content.
    public func photos(withSHA256 sha256: [UInt8]) throws -> [Photo] {
        try reading { try PhotoTables.photos(of: sha256, $0) }
    }

    /// The same without blocking.
    /// - Throws: as its blocking form; `CancellationError`.
    public func photos(withSHA256 sha256: [UInt8]) async throws -> [Photo] {
        try await reading { try PhotoTables.photos(of: sha256, $0) }
    }

    /// The photos whose content others have too: each group has one content.
    public func duplicates() throws -> [[Photo]] {
        try reading { try PhotoTables.duplicates($0) }
    }

    /// The same without blocking.
    /// - Throws: as its blocking form; `CancellationError`.
    public func duplicates() async throws -> [[Photo]] {
        try await reading { try PhotoTables.duplicates($0) }
    }

    /// How many photos there are.
    public func count() throws -> Int { try reading { try PhotoTables.count($0) } }

    /// The same without blocking.
    /// - Throws: as its blocking form; `CancellationError`.
    public func count() async throws -> Int { try await reading { try PhotoTables.count($0) } }

    // MARK: Changes

    /// Gives a photo another name. False: there is no such photo.
    @discardableResult
    public func rename(_ id: Int64, _ name: String) throws -> Bool {
        try writing { try PhotoTables.rename(id, name, $0) }
    }

    /// The same without blocking.
    /// - Throws: as its blocking form; `CancellationError`.
    @discardableResult
    public func rename(_ id: Int64, _ name: String) async throws -> Bool {
        try await writing { try PhotoTables.rename(id, name, $0) }
    }

    /// Deletes a photo with its content. False: there was none.
    @discardableResult
    public func delete(_ id: Int64) throws -> Bool {
        try writing { try PhotoTables.delete(id, $0) }
    }

    /// The same without blocking.
    /// - Throws: as its blocking form; `CancellationError`.
    @discardableResult
    public func delete(_ id: Int64) async throws -> Bool {
        try await writing { try PhotoTables.delete(id, $0) }
    }

    // MARK: Sealing

    /// Seals the content of all photos, those to come too, under the keys of a dataset, which the store must have been
    /// opened with: whoever can open the database, and has not got them, no longer sees it. What stays open to see are
    /// names, media types, sizes and SHA-256s, by which a known image is told.
    ///
    /// Killed anywhere, calling it again goes on where it was. Takes about twice the file's size in free space. Blocks.
    /// - Throws: as `Connection.protect(_:of:keys:mode:padding:indexes:batch:progress:)`.
    public func seal(
        keys: FieldKeys, padding: CellPadding = .none,
        progress: (SealingProgress) throws -> Void = { _ in }
    ) throws {
        try store.withoutTransaction { connection in
            // A long photo's parts first: content is never written open once some of it is sealed.
            for (column, table) in [
                (PhotoTables.bytes, PhotoTables.parts), (PhotoTables.content, PhotoTables.photos),
            ] {
                try connection.protect(
                    column, of: table, keys: keys, padding: padding, batch: 16, progress: progress)
            }
        }
    }
}
