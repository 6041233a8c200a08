internal import CSQLCipher
internal import SystemPackage

/// How hard a checkpoint tries to bring the write-ahead log into the database file.
public enum CheckpointMode: Sendable {
    /// Copies what it can without waiting for readers or writers.
    case passive
    /// Waits for the writer and for readers of old snapshots, up to the busy timeout, so that all of it
    /// is copied.
    case full
    /// As `full`, and empties the log's file.
    case truncate

    var code: Int32 {
        switch self {
        case .passive: SQLITE_CHECKPOINT_PASSIVE
        case .full: SQLITE_CHECKPOINT_FULL
        case .truncate: SQLITE_CHECKPOINT_TRUNCATE
        }
    }
}
