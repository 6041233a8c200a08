import Foundation
import SystemPackage
import TestSupport

@testable import Lockstep

/// A folder for one test with a place for an encrypted database, whose key is known.
struct DatabaseScratch {
    let folder: TemporaryFolder
    let path: FilePath

    init(_ name: String = "data.db") throws {
        folder = try TemporaryFolder()
        path = folder.file(name)
    }

    /// A key made of `number`; the same number gives the same key and salt.
    func key(_ number: UInt8 = 1) throws -> DatabaseKey {
        let secret = [UInt8](repeating: number, count: DatabaseKey.length)
        return try DatabaseKey(
            secret: SecretBytes(copying: secret.span), salt: Self.salt(number))
    }

    static func salt(_ number: UInt8) -> [UInt8] {
        (0..<UInt8(DatabaseKey.saltLength)).map { number &* 31 &+ $0 }
    }

    func create(_ options: ConnectionOptions = .init()) throws -> Connection {
        try Connection.create(path, key: key(), options: options)
    }

    func open(_ options: ConnectionOptions = .init()) throws -> Connection {
        try Connection.open(path, key: key(), options: options)
    }

    /// Makes the database with a table `item(id, body)` of `rows` rows of 100 bytes, and closes it, which checkpoints
    /// everything into the main file. 50 rows are about two pages.
    func fill(rows: Int) throws {
        let connection = try create()
        try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
        try add(rows: rows, to: connection)
    }

    func add(rows: Int, to connection: borrowing Connection) throws {
        try connection.write { connection in try add(rows: rows, inside: connection) }
    }

    /// The same in an open transaction.
    func add(rows: Int, inside connection: borrowing Connection) throws {
        let insert = try connection.prepare("INSERT INTO item (body) VALUES (?)")
        for number in 0..<rows {
            try insert.run([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100))
        }
    }

    func count(_ connection: borrowing Connection) throws -> Int? {
        try connection.value("SELECT count(*) FROM item")
    }

    // MARK: The file as bytes

    func side(_ suffix: String) -> FilePath { FilePath(path.string + suffix) }

    var bytes: [UInt8] { get throws { try Bytes.read(path) } }

    /// Copies the file and a side file as they are, as after a kill.
    func copy(with suffix: String = "-wal", to path: FilePath) throws {
        for suffix in ["", suffix] {
            try Bytes.write(Bytes.read(side(suffix)), to: FilePath(path.string + suffix))
        }
    }

    /// Removes a database and those of its side files that exist.
    static func remove(_ path: FilePath) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: path.string + suffix)
        }
    }

    /// Changes the bytes of the file, or of the side file with this suffix.
    func damage(_ suffix: String = "", _ change: (inout [UInt8]) -> Void) throws {
        var bytes = try Bytes.read(side(suffix))
        change(&bytes)
        // In place: an open connection would not have a new file.
        let file = try FileDescriptor.open(side(suffix), .writeOnly, options: [.truncate])
        try file.closeAfter { _ = try file.writeAll(bytes) }
    }

    /// The names of everything in the folder.
    var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path.string).sorted()
        }
    }

    /// The permission bits of a file.
    static func mode(of path: FilePath) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path.string)[.posixPermissions] as? Int
    }
}
