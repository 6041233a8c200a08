/// Which of a keyring and a database is older than the other remembers.
///
/// The database records the keyring's epoch E, the keyring has its own epoch R, and its record of the database says
/// that it has recorded S. `E > R`: the keyring is an older copy. `E < S`: the database is. Otherwise all is in order:
/// a keyring can change without its databases. It is the same for database keyrings and fields keyrings.
struct Freshness: Sendable, Equatable {
    /// The keyring's ring.
    let ring: [UInt8]
    /// The rings that it replaced.
    let formerRings: Set<[UInt8]>
    /// R.
    let epoch: UInt64
    /// S; 0 if the keyring knows of none.
    var seen: UInt64 = 0
    /// Whether the file is the new one of an unfinished rotation, which records the keyring's next epoch.
    var isPending = false

    /// How a keyring and a database stand to each other.
    enum Order: Equatable {
        case inOrder
        /// The keyring is older: the database has recorded this epoch.
        case keyringOlder(than: UInt64)
        /// The database is older: this is what it has recorded.
        case databaseOlder(UInt64)
    }

    /// - Parameters:
    ///   - recorded: The epochs that the database has recorded of keyrings of this kind, by their rings.
    ///   - role: The file's role: a copy is older by its nature.
    func order(_ recorded: [[UInt8]: UInt64], _ role: FileRole) -> Order {
        if let own = recorded[ring], epoch < (isPending ? own - 1 : own) {
            return .keyringOlder(than: own)
        }
        let newest = formerRings.union([ring]).compactMap { recorded[$0] }.max() ?? 0
        return role == .original && newest < seen ? .databaseOlder(newest) : .inOrder
    }
}
