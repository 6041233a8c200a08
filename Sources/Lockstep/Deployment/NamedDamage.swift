internal import SystemPackage

/// Names damaged pages: SQLCipher reports a page that does not verify as a generic error.
enum NamedDamage {
    /// Runs `body`. If it fails with such an error, names the damaged pages of the database.
    static func of<Result>(
        _ path: FilePath, _ key: borrowing DatabaseKey, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as LockstepError where [.sqlFailed, .damaged].contains(error.code) {
            try PageAudit(path).requireClean(key)
            throw error
        }
    }
}
