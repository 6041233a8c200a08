internal import SystemPackage

// What a kill leaves while a connection enters or leaves WAL mode
// ===============================================================
//
// SQLite changes the mode in two bytes of page 1, under a rollback journal that holds page 1 as it was:
//
//   header, one sector   0 magic · 8 number of records · 16 pages of the database · 20 size of a sector · 24 of a page
//   the only record      its page's number, 4 bytes · the page as it is encrypted · a checksum, 4 bytes
//
// The next connection plays it back. That loses nothing if the page differs from the present one in no more than these
// two bytes and the counters of changes. An older page that somebody put there differs in more.

/// The rollback journal of a change of the journal mode.
enum ModeChangeJournal {
    /// Whether the journal beside a database is one, so that to play it back changes nothing else.
    static func isLeft(beside path: FilePath, _ key: borrowing DatabaseKey) throws -> Bool {
        let profile = Profile.current
        let journal = try DatabaseFile(path, suffix: "-journal")
        let head = try journal.read(at: 0, 28)
        let database = try DatabaseFile(path)
        let sector = Int(word(head, 20))
        guard head.starts(with: [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]), word(head, 8) == 1,
            Int(word(head, 16)) * profile.pageSize == database.size, word(head, 24) == UInt32(profile.pageSize),
            (512...65_536).contains(sector), journal.size == sector + 4 + profile.pageSize + 4
        else { return false }
        let log = DatabaseFile.side("-wal", of: path)
        guard try !FileAccess.exists(log) || FileAccess.sizeOfRegularFile(log) == 0 else { return false }
        let before = try journal.read(at: sector + 4, profile.pageSize)
        let now = try database.read(at: 0, profile.pageSize)
        let salt = Array(now.prefix(DatabaseKey.saltLength))
        guard try word(journal.read(at: sector, 4), 0) == 1, before.starts(with: salt) else { return false }
        let authenticator = try PageAuthenticator(profile, key: key.secret, salt: salt)
        guard try authenticator.verifies(before.span, number: 1), try authenticator.verifies(now.span, number: 1)
        else { return false }
        return try isSame(content(before, key), content(now, key))
    }

    private static func content(_ page: [UInt8], _ key: borrowing DatabaseKey) throws -> DecryptedPage {
        DecryptedPage(1, try PageSource.decrypted(page, 1, .current, key.secret), isOutdated: false)
    }

    /// Whether both are the same but for the mode, the counters of changes and the version of the library that wrote it.
    private static func isSame(_ one: DecryptedPage, _ other: DecryptedPage) -> Bool {
        [0..<18, 20..<24, 28..<92, 100..<one.bytes.count].allSatisfy { one.bytes[$0] == other.bytes[$0] }
    }

    private static func word(_ bytes: [UInt8], _ at: Int) -> UInt32 {
        guard at + 4 <= bytes.count else { return 0 }
        return bytes[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
