internal import SystemPackage

// The parts of SQLite's wal-index format that this code uses ("WAL-Index Format"), in the machine's byte order:
//
//   0 and 48   two copies of a header   0 version 3007000 · 12 whether it is initialised (a byte) · 14 page size
//                                       (2 bytes) · 16 valid frames in the log · 32 the log's two salts
//   96         how many frames a checkpoint has copied into the database

/// What the index of a write-ahead log says about the log. A killed process leaves it, and it still says how long the
/// log was. The next connection to open the database rebuilds it from what is left of the log.
struct WriteAheadLogIndex: Sendable, Equatable {
    /// How many frames of the log are valid: all their commits were acknowledged.
    let frames: Int
    /// Of these, how many have reached the database.
    let copied: Int
    /// The log's salts.
    let salts: [UInt8]

    /// The index that was left beside a database, or nil if a connection of this process or another has the database
    /// open, if there is no index, or if it is not whole.
    static func left(beside database: FilePath) throws -> WriteAheadLogIndex? {
        // Closing a descriptor of the index would drop the locks of this process's connections on it: it can be read
        // only while there are none.
        guard FileAccess.exists(DatabaseFile.side("-shm", of: database)),
            let file = try? DatabaseFile(database, writable: true)
        else { return nil }
        do {
            return try file.whileExclusive { try read(beside: database) }
        } catch let error as LockstepError where error.code == .busy {
            return nil
        }
    }

    /// The same for a caller that has the database to itself.
    static func read(beside database: FilePath) throws -> WriteAheadLogIndex? {
        let bytes: [UInt8]
        do {
            let file = try DatabaseFile(database, suffix: "-shm")
            bytes = try file.read(at: 0, 136)
        } catch let error as LockstepError where error.code == .notFound {
            return nil
        }
        return WriteAheadLogIndex(bytes)
    }

    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 100, bytes[0..<48] == bytes[48..<96], bytes[12] != 0, Self.word(bytes, 0) == 3_007_000
        else { return nil }
        frames = Int(Self.word(bytes, 16))
        copied = Int(Self.word(bytes, 96))
        salts = Array(bytes[32..<40])
    }

    private static func word(_ bytes: [UInt8], _ at: Int) -> UInt32 {
        unsafe bytes.withUnsafeBytes {
            unsafe $0.loadUnaligned(fromByteOffset: at, as: UInt32.self)
        }
    }
}
