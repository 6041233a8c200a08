internal import CSQLCipher

/// How much waiting a checkpoint does to copy the write-ahead log into the database file.
public enum CheckpointMode: Sendable {
    /// Copies what it can without waiting for readers or writers.
    case passive
    /// Waits for the writer and for readers of old snapshots, up to the busy timeout, and copies the whole log.
    case full
    /// As `full`, then truncates the log to zero bytes.
    case truncate

    var code: Int32 {
        switch self {
        case .passive: SQLITE_CHECKPOINT_PASSIVE
        case .full: SQLITE_CHECKPOINT_FULL
        case .truncate: SQLITE_CHECKPOINT_TRUNCATE
        }
    }
}
