/// How a store behaves once it is open.
public struct StoreOptions: Sendable {
    /// The options of each connection. Their `cacheBytes` is ignored.
    public var connection = ConnectionOptions()
    /// Bytes of memory for pages, divided among the connections in use: a quarter for the writer, the rest for
    /// the readers. With SQLite's default of 2 MB a cached read is six times slower.
    public var cacheBytes = 64 * 1024 * 1024
    /// How many reads can run at once, at least 1. A reader opens when it is first needed: 0.5 ms, a file
    /// descriptor, and a thread once an asynchronous read uses it.
    public var readers = 4
    /// How many snapshots can be kept at once by sequences of chunks (``Store/chunks(of:size:)``) and by jobs such as a
    /// backup, at least 1. Each has a connection of its own, besides ``readers``: 0.5 ms, two file descriptors, and the
    /// keys in memory. From this number on the next one throws ``LockstepError/Code/limitExceeded``. In a store in
    /// memory it does not matter.
    public var streams = 64
    /// The number of 4-KiB pages in the write-ahead log from which it is checkpointed in the background. A
    /// larger number makes fewer, larger checkpoints, a larger log, and a slower opening after a crash.
    public var checkpointPages = 1000
    /// What a store does with a copy of a database of its keyring, such as a backup. Without a keyring nothing shows
    /// that a file is a copy.
    public var copies = Copies.readOnly
    /// Whether the store only reads: it writes neither to the file nor to its log, and a write throws
    /// ``LockstepError/Code/readOnly``. Where the folder cannot be written it opens a database that was closed cleanly,
    /// and a read throws ``LockstepError/Code/busy`` if somebody changes the file after all. Off by default.
    public var isReadOnly: Bool {
        get { connection.access != .full }
        set { connection.access = newValue ? .readOnly : .full }
    }
    /// Microseconds after which a shared transaction takes no further member: 10 ms, the time of a few syncs. This
    /// limits the work that runs again if the transaction is lost. Only tests change it, to depend on no clock.
    var longestGroup: Int64 = 10_000

    /// Whether sequences of chunks and jobs keep connections that reads wait for. Only tests switch it on: see
    /// `CallGraph.swift`.
    var sharesReaders = false

    /// The defaults.
    public init() {}

    /// What a store does with a copy.
    public enum Copies: Sendable, Hashable {
        /// It reads the copy. A write throws ``LockstepError/Code/isCopy``: a copy that has changed is another
        /// database, and would still have the identity of the one that it is a copy of. An opening that migrates, and
        /// so would write, throws it, too.
        case readOnly
        /// An opening with a keyring makes the copy a database of its own first (``Fork``).
        /// ``Store/open(_:rawKey:options:)`` has none to record it, and reads it.
        case fork
    }

    /// The defaults, except for the connection options.
    public init(connection: ConnectionOptions) { self.connection = connection }
}
