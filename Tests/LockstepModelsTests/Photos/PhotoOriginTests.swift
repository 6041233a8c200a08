import Lockstep
import SystemPackage
import TestSupport
import Testing

@testable import LockstepModels

@Suite("The origins of photos, and the way back")
struct PhotoOriginTests {
    let scratch: ModelScratch

    init() throws { scratch = try ModelScratch() }

    @Test(
        "A program's canned database is adopted, migrated and verified, without any loss",
        .enabled(if: PlainDatabase.isPossible, PlainDatabase.missing))
    func adopted() async throws {
        let photos: PhotoStore = try scratch.adopt(
            """
            CREATE TABLE photos (id INTEGER PRIMARY KEY, name TEXT, photo BLOB);
            INSERT INTO photos VALUES (1, 'O''Brien', x'FFD8FFE000010203'), (3, NULL, NULL),
                (4, 'large', CAST(x'FFD8FF' || zeroblob(9000000) AS BLOB)), (9, 'text', 'no blob');
            """)
        let all = try await photos.all()
        #expect(all.map(\.id) == [1, 3, 4, 9])
        #expect(all.map(\.name) == ["O'Brien", "photo 3", "large", "text"])
        #expect(all.map(\.byteCount) == [8, 0, 9_000_003, 7])
        #expect(all.map(\.mediaType) == ["image/jpeg", MediaType.unknown, "image/jpeg", MediaType.unknown])
        #expect(try await PhotoBytes.all(photos, 1) == [0xFF, 0xD8, 0xFF, 0xE0, 0, 1, 2, 3])
        #expect(try await PhotoBytes.all(photos, 3).isEmpty)
        #expect(try await PhotoBytes.all(photos, 9) == Array("no blob".utf8))
        // It stays in one value, and any range of it can be read, as of others.
        #expect(try await photos.bytes(of: 4, in: 9_000_000..<9_000_003) == [0, 0, 0])
        let folder = try TemporaryFolder()
        try await photos.write(4, to: folder.file("4"))
        #expect(try Bytes.read(folder.file("4")).count == 9_000_003)
        let id = try await photos.insert("new", from: PhotoBytes.pieces(PhotoBytes.jpeg(100)))
        #expect(id == 10)
        try await photos.store.close()
        let report = try scratch.verify("photos")
        #expect(report.isClean, "\(report.outcomes.flatMap(\.findings))")
    }

    @Test("On the way down parts become one value again, and stay one on the way up")
    func down() async throws {
        let photos = PhotoStore(try scratch.open(PhotoStore.self).store, partLength: 1000)
        let contents = [500, 1000, 1001, 12_345].map { PhotoBytes.jpeg($0) }
        for content in contents { try await photos.insert("a", from: PhotoBytes.pieces(content)) }
        let before = try await photos.all()
        let set = try ModelMigrations.set("photos")
        try await photos.store.migrate(set, to: .version(MigrationVersion(2)))
        let blobs = try await photos.store.read { connection in
            try connection.query("SELECT photo FROM photos ORDER BY id") { try $0[0] as [UInt8] }
        }
        #expect(blobs == contents)
        try await photos.store.migrate(set)
        #expect(try await photos.all() == before)
        #expect(try await PhotoBytes.all(photos, 4) == contents[3])
    }

    @Test("Sealed parts cannot be joined on the way down: nothing changes")
    func sealedDown() async throws {
        let keys = try Keyring.create(.fields).fieldKeys(named: "photos")
        scratch.options.connection.fieldKeys = [keys]
        let photos = PhotoStore(try scratch.open(PhotoStore.self).store, partLength: 1000)
        let content = PhotoBytes.jpeg(2500)
        try await photos.insert("a", from: PhotoBytes.pieces(content))
        try photos.seal(keys: keys)
        let set = try ModelMigrations.set("photos")
        await #expect(throws: LockstepError.self) {
            try await photos.store.migrate(set, to: .version(MigrationVersion(2)))
        }
        #expect(try await PhotoBytes.all(photos, 1) == content)
    }

    @Test(
        "Long content in the store's own parts is written and read, and a photo's row stays small")
    func long() async throws {
        let photos = try scratch.open(PhotoStore.self)
        let block = PhotoBytes.jpeg(1 << 20)
        var content: [UInt8] = []
        for _ in 0..<20 { content += block }
        content.append(7)
        let folder = try TemporaryFolder()
        let id = try await photos.insert("long", from: folder.write("in", content))
        try await photos.write(id, to: folder.file("out"))
        #expect(try Bytes.read(folder.file("out")) == content)
        let parts = try await photos.store.read { connection in
            try connection.query("SELECT length(bytes) FROM photo_part ORDER BY start") {
                try $0[0] as Int
            }
        }
        #expect(parts == [8 << 20, 8 << 20, (4 << 20) + 1])
        let border = (8 << 20) - 5
        #expect(try await photos.bytes(of: id, in: border..<border + 10) == Array(content[border..<border + 10]))
    }
}
