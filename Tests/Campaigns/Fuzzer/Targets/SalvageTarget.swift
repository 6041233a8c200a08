import SystemPackage

@testable import Lockstep

/// Salvage of a database whose pages verify but were not written by SQLite. An input is a list of changes, each a page
/// number, an offset, a length, and that many bytes; a number of 128 or more damages the page instead.
final class SalvageTarget: FuzzTarget {
    static let name = "salvage"
    static let refusals: Set<LockstepError.Code> = [.damaged, .truncated, .wrongKey]
    private let forge: FuzzPages
    private let pages: [[UInt8]]
    private let key: DatabaseKey

    init() throws {
        let key = try FuzzKeys.databaseKey()
        let forge = try FuzzPages()
        let bytes = try Self.template(key)
        var pages: [[UInt8]] = []
        for start in stride(from: 0, to: bytes.count, by: FuzzPages.size) {
            pages.append(try forge.open(bytes[start..<(start + FuzzPages.size)], number: pages.count + 1))
        }
        self.forge = forge
        self.pages = pages
        self.key = key
    }

    /// A database with trees of two levels, overflow pages, an index and a table WITHOUT ROWID.
    private static func template(_ key: borrowing DatabaseKey) throws -> [UInt8] {
        let path = FuzzFile.path("template.db")
        do {
            let connection = try Connection.create(path, key: key)
            try connection.run(
                script: """
                    CREATE TABLE a (id INTEGER PRIMARY KEY, b TEXT, c);
                    CREATE INDEX i ON a (b);
                    CREATE TABLE w (k TEXT PRIMARY KEY, v) WITHOUT ROWID;
                    WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 120)
                    INSERT INTO a SELECT x, printf('text %d of a longer kind', x), x * 1.5 FROM n;
                    INSERT INTO a VALUES (1000, 'long', zeroblob(9000));
                    INSERT INTO w SELECT b, id FROM a WHERE id < 40;
                    DELETE FROM a WHERE id BETWEEN 50 AND 60;
                    """)
        }
        return try FileAccess.read(path, limit: 1 << 20)
    }

    static func seeds() -> [String: [UInt8]] {
        [
            "none": [], "damage": [0x82], "kind": [2, 0, 0, 1, 5],
            "pointer": [3, 0, 8, 2, 0xFF, 0xFF],
            "root": [1, 0, 100, 3, 13, 0, 0], "size": [1, 0, 28, 4, 0, 0, 1, 0],
            "two": [0x83, 2, 0, 3, 2, 0, 9, 4, 15, 0, 2, 0xFF, 0x7F],
        ]
    }

    func run(_ input: [UInt8]) throws {
        var pages = pages
        var damaged: Set<Int> = []
        var input = FuzzInput(input)
        while !input.isAtEnd {
            let choice = input.byte()
            let index = Int(choice & 0x7F) % pages.count
            guard choice < 128 else {
                damaged.insert(index)
                continue
            }
            let place = Int(input.number(2)) % DecryptedPage.usableSize
            for (offset, byte) in input.bytes(Int(input.byte())).enumerated()
            where place + offset < DecryptedPage.usableSize {
                pages[index][place + offset] = byte
            }
        }
        var file: [UInt8] = []
        for (index, plain) in pages.enumerated() {
            var page = try forge.seal(plain, number: index + 1)
            if damaged.contains(index) { page[2000] ^= 0xFF }
            file += page
        }
        let path = try FuzzFile.write("damaged.db", file)
        let new = FuzzFile.path("new.db")
        for suffix in ["", "-wal", "-shm", "-journal"] { FuzzFile.remove("new.db\(suffix)") }
        _ = try Salvage(path, into: new).run(key: key, newKey: key)
    }
}
