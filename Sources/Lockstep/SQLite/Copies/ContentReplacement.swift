internal import CSQLCipher

extension Connection {
    /// Replaces all content of the database by that of `source`, page by page, in one transaction: a kill or
    /// a loss of power leaves the old content or the new. Others may have the database open; they see the
    /// change as they see any commit.
    ///
    /// - Parameters:
    ///   - timeout: How long to wait for whoever is writing.
    ///   - isDue: Asked once the write lock is held, so that what it finds holds until the commit; it must
    ///     not use the connection. False leaves everything as it is.
    /// - Returns: Whether it was replaced.
    /// - Throws: ``LockstepError/Code/busy``, ``LockstepError/Code/full`` and what else SQLite reports, a
    ///   damaged page of the old content included; nothing has changed then.
    func replaceContent(
        with source: borrowing Connection, timeout: Duration,
        ifStill isDue: (borrowing Connection) throws -> Bool
    ) throws -> Bool {
        guard !isInTransaction else {
            throw LockstepError(.misuse, "content cannot be replaced inside a transaction")
        }
        let deadline = Clock.monotonicMicroseconds + timeout.wholeMicroseconds
        while true {
            do {
                return try replaceContentOnce(with: source, isDue)
            } catch let error as LockstepError where error.code == .busy {
                guard Clock.monotonicMicroseconds < deadline else { throw error }
            }
        }
    }

    private func replaceContentOnce(
        with source: borrowing Connection, _ isDue: (borrowing Connection) throws -> Bool
    ) throws -> Bool {
        guard let backup = unsafe sqlite3_backup_init(handle, "main", source.handle, "main") else {
            throw core.error(unsafe sqlite3_errcode(handle)).located("\(path)")
        }
        var code = SQLITE_OK
        do {
            // A step of no pages takes the write lock. Ending before the last one rolls back.
            code = unsafe sqlite3_backup_step(backup, 0)
            if code == SQLITE_OK, try !isDue(self) {
                unsafe sqlite3_backup_finish(backup)
                return false
            }
            while code == SQLITE_OK { code = unsafe sqlite3_backup_step(backup, 1024) }
        } catch {
            unsafe sqlite3_backup_finish(backup)
            throw error
        }
        unsafe sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else {
            throw unsafe ResultCode.error(code, on: nil).located("cannot restore \(path)")
        }
        return true
    }
}
