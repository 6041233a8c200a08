internal import SystemPackage

// Which database a file is
// ========================
//
// A file says itself which database it is (see KeyringTable.swift), and anyone who can open it can change that, or put
// another file in its place. So its keyring decides. It records each of its databases with the path at which it was
// last seen; a file that is opened under a key of the keyring
//
// - must be a database that the keyring records, and not under a key that it no longer has;
// - is that database if it lies where the database was seen, by whatever name: a hard link is the same file;
// - is refused where another database was seen: the files were exchanged, whether both were or only this one;
// - can otherwise be a copy, by its role, which opens everywhere;
// - and is refused if a file of the same identity, which is no copy, still lies where the database was seen: both claim
//   to be the database. `cp` makes such files, and so did backups before files had roles;
// - else it was moved, and the keyring follows it with the next command that writes.
//
// A keyring whose path is not known, and a record without a path, say nothing of where a database lies. In the usual
// case, a file in its place, this costs a comparison of paths or two looks at the file system.

/// The one comparison of a file with what its keyring records, made at each opening.
enum IdentityCheck {
    /// What a file is that may be opened.
    enum Finding: Equatable {
        /// The database, where it was last seen, or where nobody knows where that was.
        case inPlace
        /// A copy of it, elsewhere.
        case copy
        /// A copy in the place of the database: someone restored it by hand.
        case copyInPlace
        /// The database, which is no longer where it was last seen.
        case moved
    }

    /// - Parameters:
    ///   - content: What the file says of itself.
    ///   - origin: What the keyring of the key records.
    ///   - path: The file.
    ///   - key: The key that opens the file.
    /// - Throws: ``LockstepError/Code/unknownDatabase``, ``LockstepError/Code/keyUnavailable``,
    ///   ``LockstepError/Code/exchanged``, ``LockstepError/Code/twoFiles``.
    @discardableResult
    static func require(
        _ content: KeyringTable.Content, _ origin: DatabaseKey.Origin, at path: FilePath, _ key: borrowing DatabaseKey
    ) throws -> Finding {
        // A file that records nothing has lost its record, which ``KeyringFreshness`` says.
        guard !origin.files.isEmpty, content != KeyringTable.Content() else { return .inPlace }
        guard let identity = content.database,
            let file = origin.files.first(where: { $0.identity == identity })
        else { throw unknown(content.database) }
        if let closing = origin.closing, file.keyVersion != origin.keyVersion {
            throw oldCopy(path, origin.keyVersion, closing)
        }
        let isCopy = content.role == .copy
        let known = file.path
        if let known, isSame(known, path) { return isCopy ? .copyInPlace : .inPlace }
        // Without a look at the other databases a file could take the place of one of them.
        for other in origin.files where other.identity != identity {
            guard let place = other.path, isSame(place, path) else { continue }
            // The file was about to become that database when its fork was interrupted.
            if other.isUnfinishedFork(of: identity) { continue }
            throw exchanged(path, identity, known, other.identity)
        }
        if isCopy { return .copy }
        guard let known else { return .inPlace }
        guard !lies(identity, at: known, origin, key) else { throw two(path, known, identity) }
        return .moved
    }

    /// Whether both paths name one file.
    static func isSame(_ one: FilePath, _ other: FilePath) -> Bool {
        if one == other { return true }
        // A link stands for its file.
        guard let (one, other) = try? (RealPath.of(one), RealPath.of(other)) else { return false }
        if one == other { return true }
        guard let identity = FileIdentity(one) else { return false }
        return identity == FileIdentity(other)
    }

    /// Whether a file of this identity lies there that is no copy. One that does not open with a key in use does not
    /// count: nobody could take it for the database.
    private static func lies(
        _ identity: [UInt8], at place: FilePath, _ origin: DatabaseKey.Origin, _ key: borrowing DatabaseKey
    ) -> Bool {
        // A pipe would block, and a folder or a link is no database.
        guard (try? FileAccess.sizeOfRegularFile(place)) != nil else { return false }
        return isDatabase(identity, place, key) || origin.otherKeys.contains { isDatabase(identity, place, $0.value) }
    }

    private static func isDatabase(_ identity: [UInt8], _ place: FilePath, _ key: borrowing DatabaseKey) -> Bool {
        var reading = ConnectionOptions()
        reading.isQueryOnly = true
        reading.closesFullText = true
        // A busy file is one that somebody works on, which is answer enough.
        reading.busyTimeout = .zero
        do {
            let connection = try Connection.open(
                place, key: key.withoutOrigin(), options: reading)
            let content = try connection.with(rights: .engine) { try KeyringTable.read(connection) }
            return content.database == identity && content.role == .original
        } catch let error as LockstepError {
            // Then the key fits, and someone works on it.
            return error.code == .busy
        } catch {
            return false
        }
    }

    // MARK: Errors

    /// The file has a key that its database no longer has.
    static func oldCopy(_ path: FilePath, _ version: UInt32, _ closing: String) -> LockstepError {
        LockstepError(
            .keyUnavailable,
            "\(path) is encrypted with database key \(version), which was marked \(closing): it is an old copy",
            advice: "if you trust it, move it away and restore it with \(.restore)", context: .file(path))
    }

    /// The keyring records databases, but not this one.
    static func unknown(_ database: [UInt8]?) -> LockstepError {
        LockstepError(
            .unknownDatabase,
            "the file is not a database of this keyring: "
                + (database.map { "its identity, \(Hex.encode($0)), is not recorded there" } ?? "it has no identity"),
            advice: """
                someone changed the file's identity, or this is another database: restore the file from a backup; if \
                it is the right one, \(.recordDatabase) records it
                """)
    }

    private static func exchanged(
        _ path: FilePath, _ identity: [UInt8], _ known: FilePath?, _ other: [UInt8]
    ) -> LockstepError {
        LockstepError(
            .exchanged,
            "\(path) is not the database that was last seen there, \(Hex.encode(other)), but "
                + "\(Hex.encode(identity)), " + (known.map { "last seen at \($0)" } ?? "another one"),
            advice: """
                someone exchanged the files, or gave this one another identity: put each back in its place, or restore \
                it from a backup; if this one is to stay here, \(.recordDatabase) records that
                """,
            context: .file(path))
    }

    private static func two(
        _ path: FilePath, _ known: FilePath, _ identity: [UInt8]
    ) -> LockstepError {
        LockstepError(
            .twoFiles,
            "\(path) and \(known) both claim to be the database \(Hex.encode(identity))",
            advice: """
                if one of them is a backup, restore it with \(.restore); if one is to be a database of its own, \
                \(.fork) makes it one; otherwise move it away
                """,
            context: .file(path))
    }
}
