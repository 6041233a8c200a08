internal import CSQLCipher

extension Connection {
    /// Replaces all content of the database with that of `source`, page by page, in one transaction: after a
    /// kill or a power loss the database has either the old content or the new. Other connections can be open;
    /// they see the change like any commit.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait for another writer.
    ///   - isNeeded: Called once the write lock is held, so that its findings hold until the commit. It must not
    ///     use the connection. If it returns false, nothing changes.
    /// - Returns: Whether the content was replaced.
    /// - Throws: ``LockstepError/Code/busy``, ``LockstepError/Code/full`` and any other error that SQLite
    ///   reports, including a damaged page of the old content. Nothing has changed then.
    func replaceContent(
        with source: borrowing Connection, timeout: Duration, ifStill isNeeded: (borrowing Connection) throws -> Bool
    ) throws -> Bool {
        guard !isInTransaction else {
            throw LockstepError(.misuse, "content cannot be replaced inside a transaction")
        }
        let deadline = Clock.monotonicMicroseconds + timeout.wholeMicroseconds
        while true {
            do {
                return try replaceContentOnce(with: source, isNeeded)
            } catch let error as LockstepError where error.code == .busy {
                guard Clock.monotonicMicroseconds < deadline else { throw error }
            }
        }
    }

    private func replaceContentOnce(
        with source: borrowing Connection, _ isNeeded: (borrowing Connection) throws -> Bool
    ) throws -> Bool {
        guard let backup = unsafe sqlite3_backup_init(handle, "main", source.handle, "main") else {
            throw core.error(unsafe sqlite3_errcode(handle)).located(in: path)
        }
        // Finishing before the last page rolls back.
        defer { unsafe sqlite3_backup_finish(backup) }
        // A step of 0 pages takes the write lock.
        var code = unsafe sqlite3_backup_step(backup, 0)
        if code == SQLITE_OK, try !isNeeded(self) { return false }
        while code == SQLITE_OK { code = unsafe sqlite3_backup_step(backup, 1024) }
        guard code == SQLITE_DONE else {
            throw unsafe ResultCode.error(code, on: nil).located("cannot restore \(path)", context: .file(path))
        }
        return true
    }
}
