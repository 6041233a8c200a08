/// A dataset whose sealed columns a program reads and writes.
///
///     let store = try await Store.open("films.db", key: .keyFile("my.key"), sealed: Dataset("films"))
///
/// Its fields keyring lies beside that of the database. It is made at the first opening that names the dataset, which
/// can be long after the database was made.
public struct Dataset: Sendable {
    /// The name, as in the `protect` directives of migrations.
    public let name: String
    /// What opens its fields keyring; nil for what opens the database's keyring.
    public let key: KeySource?
    /// Its fields keyring; nil for the one beside the database's keyring.
    public let keyring: KeyringFile?
    /// The ring that the fields keyring must have; nil for any.
    public let ring: RingID?
    /// Columns that the program relies on being sealed, as `table.column`, besides those that its migrations seal.
    public let columns: [String]

    /// Names a dataset.
    /// - Parameters:
    ///   - name: The name, as in the `protect` directives of migrations.
    ///   - key: What opens its fields keyring; nil for what opens the database's keyring.
    ///   - keyring: Its fields keyring; nil for the one beside the database's keyring.
    ///   - ring: The ring that the fields keyring must have, if it exists; nil for any.
    ///   - columns: Columns that the program relies on being sealed, as `table.column`, besides those that its
    ///     migrations seal.
    public init(
        _ name: String, key: KeySource? = nil, keyring: KeyringFile? = nil, ring: RingID? = nil, columns: [String] = []
    ) {
        self.name = name
        self.key = key
        self.keyring = keyring
        self.ring = ring
        self.columns = columns
    }
}
