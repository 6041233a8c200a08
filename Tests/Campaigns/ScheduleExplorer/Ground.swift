import Foundation
import Lockstep
import SystemPackage
import TestSupport

/// A folder with a database and everything that the operations need, made once from a seed and copied for each
/// schedule.
struct Ground {
    /// The initial state of the database.
    enum State: String, CaseIterable {
        /// Closed; everything in the file.
        case closed
        /// As a killed program leaves it: commits in a log, without an index of the log.
        case crashed
        /// A connection of the exploring process is open, and its whole log was copied into the file.
        case held
        /// The same, but none of the log was copied.
        case logged
    }

    let folder: FilePath

    var database: FilePath { folder.appending("data.db") }
    var backup: FilePath { folder.appending("old.db") }
    var copy: FilePath { folder.appending("copy.db") }
    var keyringFile: KeyringFile { KeyringFile(folder.appending("data.keyring")) }
    private var fieldsFile: KeyringFile { KeyringFile(folder.appending("fields.keyring")) }
    private var keyFile: FilePath { folder.appending("my.key") }

    func keyring() throws -> Keyring { try keyringFile.open { _ in try KeyFile.read(keyFile) } }

    func fields() throws -> FieldKeys {
        try fieldsFile.open { _ in try KeyFile.read(keyFile) }.fieldKeys(named: "titles")
    }

    /// Without waiting: the other operation cannot continue meanwhile.
    func options() -> ConnectionOptions {
        var options = ConnectionOptions()
        options.synchronous = .normal
        options.busyTimeout = .zero
        return options
    }

    func open(_ options: ConnectionOptions? = nil) throws -> Connection {
        try Connection.open(database, key: keyring().databaseKey(for: database), options: options ?? self.options())
    }

    // MARK: Creating

    /// Makes the folder's content. The sizes come from `random`.
    static func make(in folder: FilePath, _ random: inout SplitMix64) throws -> Ground {
        let ground = Ground(folder: folder)
        try KeyFile.create(ground.keyFile)
        for (purpose, file) in [(KeyringPurpose.database, ground.keyringFile), (.fields, ground.fieldsFile)] {
            var keyring = try Keyring.create(purpose)
            try keyring.addSlot("key-file", KeyFile.read(ground.keyFile))
            try file.create(keyring)
        }
        let rows = Int.random(in: 12...40, using: &random)
        let size = Int.random(in: 300...2500, using: &random)
        let original = folder.appending("original.db")
        var keyring = try ground.keyring()
        do {
            let connection = try Connection.create(
                original, key: keyring.activeDatabaseKey(), options: ground.options())
            try connection.run(script: script)
            try fill(rows, size, connection)
            try keyring.bind(connection, in: ground.keyringFile)
            _ = try Migrator(Operation.first).run(on: connection)
            try connection.checkpoint(.truncate)
            try copyFile(original, ground.backup)
            try connection.execute("UPDATE item SET v = 'begun' WHERE id % 2 = 0")
            try connection.execute("INSERT INTO item VALUES (900, 'later', x'00')")
            for suffix in ["", "-wal"] {
                try copyFile(FilePath("\(original)\(suffix)"), FilePath("\(ground.database)\(suffix)"))
            }
        }
        try FileManager.default.removeItem(atPath: original.string)
        return ground
    }

    private static let script = """
        CREATE TABLE item (id INTEGER PRIMARY KEY, v TEXT, pad BLOB);
        CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT);
        """

    private static func fill(_ rows: Int, _ size: Int, _ connection: borrowing Connection) throws {
        try connection.write { connection in
            for row in 1...rows {
                try connection.execute("INSERT INTO item VALUES (?, 'first', zeroblob(?))", row, size)
                try connection.execute("INSERT INTO film VALUES (?, ?)", row, "title \(row)")
            }
        }
    }

    private static func copyFile(_ from: FilePath, _ to: FilePath) throws {
        try FileManager.default.copyItem(atPath: from.string, toPath: to.string)
    }

    /// A fresh copy of it, in a folder that is emptied first.
    func copied(to folder: FilePath, _ state: State) throws -> Ground {
        let files = FileManager.default
        for name in (try? files.contentsOfDirectory(atPath: folder.string)) ?? [] {
            try files.removeItem(atPath: folder.appending(name).string)
        }
        for name in try files.contentsOfDirectory(atPath: self.folder.string) {
            try Self.copyFile(self.folder.appending(name), folder.appending(name))
        }
        let ground = Ground(folder: folder)
        // Closing checkpoints the log into the file.
        if state != .crashed { _ = try ground.open().checkpoint(.truncate) }
        return ground
    }

    // MARK: Inspecting

    /// Everything that must be the same as after one of the orders, as text.
    func content() -> String {
        var lines = ["database: \(content(of: database) { try open($0) })"]
        if FileManager.default.fileExists(atPath: copy.string) {
            lines.append("copy: \(content(of: copy) { try openCopy($0) })")
        }
        return lines.joined(separator: "\n")
    }

    private func openCopy(_ options: ConnectionOptions) throws -> Connection {
        try Connection.open(copy, key: keyring().databaseKey(ofBackup: copy), options: options)
    }

    private func content(of path: FilePath, _ open: (ConnectionOptions) throws -> Connection) -> String {
        do {
            var options = options()
            options.fieldKeys = [try fields()]
            options.mayBeUnsealed = true
            let connection = try open(options)
            let check = try connection.query("PRAGMA integrity_check") { try $0[0] as String }
            guard check == ["ok"] else { return "broken: \(check)" }
            let isSealed = try connection.value("SELECT count(*) FROM sqlite_temp_schema WHERE name = 'film_open'") == 1
            let titles = isSealed ? "film_open" : "film"
            var parts = [isSealed ? "sealed" : "plain"]
            for query in [
                "SELECT id || ' ' || v || ' ' || length(pad) FROM item ORDER BY id",
                "SELECT id || ' ' || title FROM \(titles) ORDER BY id",
                "SELECT name FROM sqlite_schema WHERE name LIKE 'added%' ORDER BY name",
                "SELECT version FROM lockstep_migration ORDER BY version",
            ] {
                parts += try connection.query(SQL(verbatim: query)) { row in
                    try (row[0] as String?) ?? "NULL"
                }
            }
            return parts.joined(separator: ", ")
        } catch {
            return "does not open: \((error as? LockstepError)?.code.rawValue ?? "\(error)")"
        }
    }
}
