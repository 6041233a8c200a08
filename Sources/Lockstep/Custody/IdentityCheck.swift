internal import SystemPackage

// Which database a file is
// ========================
//
// A file says itself which database it is (see KeyringTable.swift), and anyone who can open it can change that, or put
// another file in its place. So its keyring decides. It records each of its databases with the path at which it was
// last seen; a file that is opened under a key of the keyring
//
// - must be a database that the keyring records, and not under a key that it no longer has;
// - is refused if its path, or what one of its folders is a link to, is where another database was seen: somebody has put
//   a link in the place of that database's folder;
// - is that database if it lies where the database was seen, by whatever way;
// - is refused where another database was seen: the files were exchanged, whether both were or only this one. A copy
//   that replaced it, as a refresh with `cp` does, becomes that database by a fork;
// - can otherwise be a copy, by its role, which opens everywhere;
// - and is refused if a file of the same identity still lies where the database was seen: this one claims to be the
//   database, and the other one did not move. `cp` makes such files, and so did backups before files had roles;
// - else it was moved, and the keyring follows it with the next command that writes. It looks again before it does, with
//   every key that it has: an opening tries only those under which the keyring records databases.
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
        if let other = linked(path, identity, known, origin) {
            throw exchanged(path, identity, known, other.identity, nil)
        }
        if let known, isSame(known, path) { return isCopy ? .copyInPlace : .inPlace }
        // Without a look at the other databases a file could take the place of one of them.
        for other in origin.files where other.identity != identity {
            guard let place = other.path, isSame(place, path) else { continue }
            // The file was about to become that database when its fork was interrupted.
            if other.isUnfinishedFork(of: identity) { continue }
            let isSecond = isCopy || known.map { lies(identity, at: $0, origin, key) } ?? false
            throw exchanged(path, identity, known, other.identity, isSecond ? origin.keyring : nil)
        }
        if isCopy { return .copy }
        guard let known else { return .inPlace }
        guard !lies(identity, at: known, origin, key) else { throw two(path, known, identity, origin.keyring) }
        return .moved
    }

    /// The other database that was seen at a path that leads through links to the known place of this one.
    private static func linked(
        _ path: FilePath, _ identity: [UInt8], _ known: FilePath?, _ origin: DatabaseKey.Origin
    ) -> DatabaseKey.RecordedFile? {
        guard let known, origin.files.count > 1, known != path.fromRoot else { return nil }
        let others = origin.files.filter { $0.identity != identity && $0.path != nil && $0.path != known }
        guard !others.isEmpty, (try? RealPath.of(path)) == known else { return nil }
        let ways = RealPath.ways(path)
        return others.first { $0.path.map(ways.contains) ?? false }
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

    /// Whether a file of this identity lies there. One that does not open with any of the keys does not count: nobody
    /// could take it for the database.
    private static func lies(
        _ identity: [UInt8], at place: FilePath, _ origin: DatabaseKey.Origin, _ key: borrowing DatabaseKey
    ) -> Bool {
        if isDatabase(identity, place, key) { return true }
        // One that begins like the database and does not open is damaged, and no other one.
        let salt =
            origin.files.first { $0.identity == identity }?.salt
            ?? [UInt8](repeating: 0, count: DatabaseKey.saltLength)
        return origin.versions.contains { version in
            guard let own = try? version.value.own(of: identity, salt: salt),
                let shared = try? version.value.shared()
            else { return false }
            return isDatabase(identity, place, own) || isDatabase(identity, place, shared)
        }
    }

    /// Whether a file of this identity that the key opens lies there.
    static func isDatabase(_ identity: [UInt8], _ place: FilePath, _ key: borrowing DatabaseKey) -> Bool {
        // A pipe would block, and a folder or a link is no database.
        guard (try? FileAccess.sizeOfRegularFile(place)) != nil else { return false }
        do {
            return try content(of: place, key).database == identity
        } catch let error as LockstepError {
            // Then the key fits, and someone works on it, or the file or its log is damaged: it is not gone.
            return [.busy, .damaged].contains(error.code)
        } catch {
            return false
        }
    }

    /// What a file says of itself, whatever the keyring records of it.
    static func content(of file: FilePath, _ key: borrowing DatabaseKey) throws -> KeyringTable.Content {
        var reading = ConnectionOptions()
        reading.isQueryOnly = true
        reading.closesFullText = true
        // A busy file is one that somebody works on, which is answer enough.
        reading.busyTimeout = .zero
        let connection = try Connection.open(file, key: key.withoutOrigin(), options: reading)
        return try connection.with(rights: .engine) { try KeyringTable.read(connection) }
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

    /// - Parameter keyring: The keyring, if the file is a second one of its database.
    private static func exchanged(
        _ path: FilePath, _ identity: [UInt8], _ known: FilePath?, _ other: [UInt8], _ keyring: FilePath?
    ) -> LockstepError {
        let message =
            "\(path) is not the database that was last seen there, \(Hex.encode(other)), but "
            + "\(Hex.encode(identity)), " + (known.map { "last seen at \($0)" } ?? "another one")
        guard let keyring else {
            return LockstepError(
                .exchanged, message,
                advice: """
                    someone exchanged the files, or gave this one another identity: put each back in its place, or \
                    restore it from a backup; if this one is to stay here, \(.recordDatabase) records that
                    """, context: .file(path))
        }
        return LockstepError(
            .exchanged, message,
            advice: """
                it is a copy, which replaced that database: \(.forkOf("\(path)", keyring: "\(keyring)")) gives it that \
                database's identity; if it is to go, restore the database from a backup of its own
                """, context: .file(path))
    }

    /// The file at `path` claims to be the database, which has not moved.
    static func two(
        _ path: FilePath, _ known: FilePath, _ identity: [UInt8], _ keyring: FilePath?
    ) -> LockstepError {
        let day = FileState(path).day.map { ", last changed on \($0)," } ?? ""
        let fork: LockstepError.Action = keyring.map { .forkOf("\(path)", keyring: "\($0)") } ?? .fork
        return LockstepError(
            .twoFiles,
            "\(path)\(day) claims to be the database \(Hex.encode(identity)), which still lies at \(known)",
            advice: """
                \(fork) makes it a database of its own; to put it in that one's place instead, restore it there with \
                \(.restore)
                """,
            context: .file(path))
    }
}
