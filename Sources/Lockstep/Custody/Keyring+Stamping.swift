package import SystemPackage

/// Writing a keyring's change into its databases, so that none of them opens with an older copy of the keyring, and none
/// of their older files with the keyring.
extension Keyring {
    /// A database that does not remember the change, and why.
    package struct Unreached {
        package let path: FilePath
        package let error: LockstepError
    }

    /// Makes every database that the keyring records, and that can be opened now, record the keyring's version; and the
    /// keyring, that they have.
    ///
    /// It opens each of them twice, and writes the keyring once, so that a keyring of a thousand databases takes some
    /// seconds.
    /// - Parameters:
    ///   - file: The keyring's file.
    ///   - stamped: A database that has recorded the version already.
    /// - Returns: The databases that were not reached: they record the version when a command that writes next opens
    ///   them.
    /// - Throws: Any error of reading and writing the keyring's file.
    package mutating func stamp(in file: KeyringFile, besides stamped: FilePath? = nil) throws -> [Unreached] {
        guard purpose == .database else { return [] }
        var unreached: [Unreached] = []
        var reached: [DatabaseRecord] = []
        let recorded = epoch
        for record in document.files where record.seen > 0 {
            guard let place = try file.place(of: record) else { continue }
            if let stamped, IdentityCheck.isSame(stamped, place) { continue }
            do {
                try stamp(record, at: place)
                reached.append(record)
            } catch let error as LockstepError {
                unreached.append(Unreached(path: place, error: error))
            }
        }
        guard signer == nil, !reached.isEmpty else { return unreached }
        try file.update(&self) { keyring in
            for record in reached { keyring.note(record.database, recorded: recorded) }
        }
        for record in reached {
            guard let place = try file.place(of: record) else { continue }
            do {
                try stamp(record, at: place)
            } catch let error as LockstepError {
                unreached.append(Unreached(path: place, error: error))
            }
        }
        return unreached
    }

    /// - Throws: ``LockstepError/Code/isCopy`` for a copy in the place of the database; any error of opening and writing.
    private borrowing func stamp(_ record: DatabaseRecord, at place: FilePath) throws {
        var options = ConnectionOptions()
        // A database that somebody works on for long is named instead.
        options.busyTimeout = .seconds(1)
        options.closesFullText = true
        let connection = try Connection.open(place, key: databaseKey(for: place), options: options)
        let content = try KeyringTable.read(connection)
        guard content.database == record.database, content.role == .original else {
            throw LockstepError(
                .isCopy, "\(place) is a copy", hint: "restore it in its place, or put the database back",
                context: .file(place))
        }
        try remember(in: connection)
    }

    /// Checks that no database that the keyring records, and that can be opened now, has seen a newer version of it.
    /// - Throws: ``LockstepError/Code/keyringOutdated``.
    package borrowing func requireNewest(in file: KeyringFile) throws {
        guard purpose == .database else { return }
        var options = ConnectionOptions()
        options.isQueryOnly = true
        options.closesFullText = true
        options.busyTimeout = .zero
        for record in document.files where record.seen > 0 {
            guard let place = try file.place(of: record), FileAccess.exists(place) else { continue }
            do {
                _ = try Connection.open(place, key: databaseKey(for: place), options: options)
            } catch let error as LockstepError where error.code == .keyringOutdated {
                throw error.located(in: place)
            } catch is LockstepError {
                // What else keeps it closed is none of the keyring's.
            }
        }
    }
}
