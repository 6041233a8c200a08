/// How a store behaves once it is open.
public struct StoreOptions: Sendable {
    /// What each of its connections is given. Its `cacheBytes` does not count here.
    public var connection = ConnectionOptions()
    /// Bytes of memory for pages, shared out among the connections that are in use: a quarter to the writer,
    /// the rest to the readers. SQLite's own 2 MB make a cached read six times slower.
    public var cacheBytes = 64 * 1024 * 1024
    /// How many reads may go on at once, from 1 on. A reader is opened when it is first needed: 0.5 ms, a
    /// file descriptor, and a thread once an asynchronous read uses it.
    public var readers = 4
    /// From how many pages of 4 KiB in the write-ahead log on it is brought into the file in the
    /// background. More make fewer, larger checkpoints, a larger log, and a slower opening after a crash.
    public var checkpointPages = 1000

    /// The defaults.
    public init() {}

    /// The defaults, but for the connections.
    public init(connection: ConnectionOptions) { self.connection = connection }
}
