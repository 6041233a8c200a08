internal import SystemPackage

/// A 32-byte digest of a database file's content: every commit that has reached the file changes it.
///
/// It covers the pages' MACs, which depend on every byte of a page, its number and the key. Computing it reads
/// the file once.
enum ContentDigest {
    /// Pages read at a time: 1 MiB.
    private static let batch = 256

    /// The digest of the file at `path`, if every commit has reached it; nil if the log holds more.
    static func of(_ path: FilePath) throws -> [UInt8]? {
        guard try isLogEmpty(of: path) else { return nil }
        let file = try DatabaseFile(path)
        let pageSize = Profile.current.pageSize
        // HMAC-SHA512, at the end of each page.
        let length = HashFunction.sha512.length
        var mark = [UInt8](repeating: 0, count: HashFunction.sha256.length)
        for start in stride(from: 0, to: file.size, by: Self.batch * pageSize) {
            let pages = try file.read(at: start, Self.batch * pageSize)
            for end in stride(from: pageSize, through: pages.count, by: pageSize) {
                mark += pages[(end - length)..<end]
            }
            mark += pages.suffix(pages.count % pageSize)
            mark = try HashFunction.sha256.digest(mark.span)
        }
        return mark
    }

    private static func isLogEmpty(of path: FilePath) throws -> Bool {
        let log = try WriteAheadLog(of: path, pageSize: Profile.current.pageSize)
        guard let log else { return true }
        return try log.committedFrames().isEmpty
    }
}

extension Connection {
    /// The database's current digest, after a checkpoint. Nil if others prevent the checkpoint or write during
    /// it.
    func contentDigest() throws -> [UInt8]? {
        do {
            try checkpoint(.truncate)
        } catch {
            guard [.busy, .full].contains(error.code) else { throw error }
            return nil
        }
        let before = try CommitWatch.total(self)
        let digest = try ContentDigest.of(path)
        return try CommitWatch.total(self) == before ? digest : nil
    }
}
