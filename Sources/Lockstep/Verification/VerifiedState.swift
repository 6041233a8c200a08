internal import SystemPackage

/// The state of a database's files before a verification, to see whether a failure is that of a change in between.
///
/// The checks read the file in several transactions and beside SQLite. Next to a migration, one of them can see the
/// ledger before it and another the schema after it; next to a rotation, the keys of the old file and the pages of the
/// new one. Such failures are gone when the checks run again.
struct VerifiedState: Equatable {
    let file: FileState
    private let log: FileState

    init(_ path: FilePath) {
        file = FileState(path)
        log = FileState(DatabaseFile.side("-wal", of: path))
    }
}
