internal import SystemPackage

/// Files of one keyring that have the same key: a page of one is valid in the other. Lockstep gives each database a key of
/// its own; others make files under a raw key, or copy a database which then becomes one of its own.
struct KeySharing: Sendable {
    /// The identity of the file whose own key it is; nil for the key of files that are not recorded.
    private let keyOf: [UInt8]?
    /// The database that was last seen at the path.
    private let path: FilePath
    /// The recorded databases, and where those lie that have the file's key.
    private var recorded: Set<[UInt8]> = []
    private var others: [[UInt8]: FilePath] = [:]

    init(_ found: FileKey, of path: FilePath, _ keyring: borrowing Keyring) throws {
        (keyOf, self.path) = (found.file, path)
        recorded = Set(keyring.document.files.map(\.database))
        // Those with a key of their own have another, but for the one whose key this is.
        for record in keyring.document.files where record.salt == nil || record.database == found.file {
            guard let place = try keyring.file?.place(of: record), !IdentityCheck.isSame(place, path),
                let key = try keyring.keyEntry(ofFileAt: place), key.version == found.version, key.file == found.file
            else { continue }
            others[record.database] = place
        }
    }

    /// - Parameter content: What the file says of itself.
    func finding(_ content: KeyringTable.Content) -> VerificationReport.Finding? {
        guard let database = content.database, content.role == .original, recorded.contains(database) else {
            return nil
        }
        let files = others.filter { $0.key != database }.values.map(\.string).sorted { ExactText($0) < ExactText($1) }
        // A file under the key of files that are not recorded need not share it with any.
        guard !files.isEmpty || keyOf ?? database != database else { return nil }
        let shared =
            files.isEmpty
            ? "the key of the file is not its own"
            : "\(counted(files.count, "other file")) \(files.count == 1 ? "has" : "have") the key of this one: "
                + files.joined(separator: ", ")
        return .notice(
            advice: """
                \(shared): who has the key of one opens the others; \(.rotateDatabase) on it gives it a key of its own
                """)
    }
}
