internal import SystemPackage

/// SQLCipher tells a page that does not verify as an error of no kind.
enum NamedDamage {
    /// Runs `body`; where it fails in such a way, says which pages of the database are damaged.
    static func of<Result>(
        _ path: FilePath, _ key: borrowing DatabaseKey, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as LockstepError where [.sqlFailed, .damaged].contains(error.code) {
            try Backup.requireSound(path, key)
            throw error
        }
    }
}
