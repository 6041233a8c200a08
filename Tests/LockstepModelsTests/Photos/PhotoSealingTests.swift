import Lockstep
import SystemPackage
import TestSupport
import Testing

@testable import LockstepModels

@Suite("Sealed photos")
struct PhotoSealingTests {
    let scratch: ModelScratch
    let keys: FieldKeys

    init() throws {
        scratch = try ModelScratch()
        keys = try Keyring.create(.fields).fieldKeys(named: "photos")
        scratch.options.connection.fieldKeys = [keys]
    }

    private func open() throws -> PhotoStore {
        PhotoStore(try scratch.open(PhotoStore.self).store, partLength: 100_000)
    }

    private func protect(_ column: String, _ photos: PhotoStore) throws {
        _ = try photos.store.blocking.withoutTransaction { connection in
            try connection.protect(column, of: "photos", keys: keys)
        }
    }

    private static let sizes = [100, 1000, 100_000, 100_001, 350_000]

    @Test("Existing content is sealed, new content is too, and both are read the same way") func sealed() async throws {
        let photos = try open()
        for size in Self.sizes {
            try await photos.insert("before", from: PhotoBytes.pieces(PhotoBytes.jpeg(size)))
        }
        try photos.seal(keys: keys)
        for size in Self.sizes {
            try await photos.insert("after", from: PhotoBytes.pieces(PhotoBytes.jpeg(size, salt: 2)))
        }
        let folder = try TemporaryFolder()
        for (index, photo) in try await photos.all().enumerated() {
            let size = Self.sizes[index % Self.sizes.count]
            let bytes = PhotoBytes.jpeg(size, salt: index < Self.sizes.count ? 1 : 2)
            #expect(photo.byteCount == size)
            #expect(photo.sha256 == (try PhotoBytes.sha256(bytes)))
            #expect(try await PhotoBytes.all(photos, photo.id) == bytes)
            let range = (size / 2)..<(size - size / 5)
            #expect(try await photos.bytes(of: photo.id, in: range) == Array(bytes[range]))
            let file = folder.file("\(photo.id)")
            try await photos.write(photo.id, to: file)
            #expect(try Bytes.read(file) == bytes)
            #expect(try await photos.rename(photo.id, "renamed"))
            #expect(try await PhotoBytes.all(photos, photo.id) == bytes)
            let again = try await photos.insert("file", from: file)
            #expect(try await photos.bytes(of: again, in: 0..<size) == bytes)
            #expect(try await photos.delete(again))
        }
        #expect(try await photos.duplicates().isEmpty)
        try await photos.store.close()
        let pages = try DecryptedPages(scratch.path, scratch.keyring.activeDatabaseKey())
        for salt in [1, 2] as [UInt64] {
            #expect(!pages.contain(Array(PhotoBytes.jpeg(100_000, salt: salt)[50_000..<50_016])))
        }
        #expect(try await open().count() == 2 * Self.sizes.count)
        let report = try scratch.verify("photos", fields: [keys])
        #expect(report.isClean, "\(report.outcomes.flatMap(\.findings))")
    }

    @Test(
        "Without the keys lists are read, photos are renamed and deleted, but content is not read or added"
    )
    func locked() async throws {
        do {
            let photos = try open()
            try await photos.insert("a", from: PhotoBytes.pieces(PhotoBytes.jpeg(1000)))
            try await photos.insert("b", from: PhotoBytes.pieces(PhotoBytes.jpeg(250_000)))
            try photos.seal(keys: keys)
            try await photos.store.close()
        }
        scratch.options.connection.fieldKeys = []
        let photos = try open()
        #expect(try await photos.all().map(\.byteCount) == [1000, 250_000])
        #expect(try await photos.rename(1, "c"))
        for call in [
            { _ = try photos.bytes(of: 1, in: 0..<10) }, { _ = try photos.bytes(of: 2, in: 0..<10) },
            { try photos.write(1, to: scratch.folder.file("out")) },
            {
                try photos.insert(
                    "d", from: scratch.folder.write("in", PhotoBytes.jpeg(100)))
            },
        ] as [() throws -> Void] {
            let error = #expect(throws: LockstepError.self) { try call() }
            #expect(error?.code == .keyUnavailable)
        }
        #expect(try await photos.delete(2))
        #expect(try await photos.all().map(\.name) == ["c"])
    }

    @Test("A moved, dropped or truncated part is found, whatever else is changed with it") func forged() async throws {
        let photos = try open()
        try photos.seal(keys: keys)
        let id = try await photos.insert("a", from: PhotoBytes.pieces(PhotoBytes.jpeg(250_000)))
        let other = try await photos.insert("b", from: PhotoBytes.pieces(PhotoBytes.jpeg(250_000, salt: 2)))
        try await photos.store.close()
        let original = try Bytes.read(scratch.path)
        // By an attacker with the database key only, who removes the guards.
        for forgery in [
            "UPDATE photo_part SET bytes = (SELECT bytes FROM photo_part WHERE photo = \(other) AND start = 0) WHERE photo = \(id) AND start = 0",
            "DELETE FROM photo_part WHERE photo = \(id) AND isLast; UPDATE photo_part SET isLast = 1 WHERE photo = \(id) AND start = 100000; UPDATE photos SET byteCount = 200000",
        ] {
            try Bytes.write(original, to: scratch.path)
            do {
                let connection = try Connection.open(scratch.path, key: scratch.keyring.activeDatabaseKey())
                let guards = try connection.query(
                    "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'photo_part'"
                ) { row in try row[0] as String }
                for name in guards { try connection.execute("DROP TRIGGER \(name: name)") }
                try connection.run(script: forgery)
            }
            let store = try Store.open(
                scratch.path, rawKey: scratch.keyring.activeDatabaseKey(), options: scratch.options)
            let error = await #expect(throws: LockstepError.self) {
                try await PhotoBytes.all(PhotoStore(store), id)
            }
            #expect(error?.code == .cellForged, "\(forgery)")
        }
    }

    @Test("With one of the two sealed, no content goes unsealed to the other")
    func half() async throws {
        let photos = try open()
        try protect("photo", photos)
        try await photos.insert("short", from: PhotoBytes.pieces(PhotoBytes.jpeg(100_000)))
        let error = await #expect(throws: LockstepError.self) {
            try await photos.insert("long", from: PhotoBytes.pieces(PhotoBytes.jpeg(100_001)))
        }
        #expect(error?.code == .misuse)
        #expect(try await photos.count() == 1)
        try photos.seal(keys: keys)
        try await photos.insert("long", from: PhotoBytes.pieces(PhotoBytes.jpeg(100_001)))
    }

    @Test("Names can be sealed as well")
    func names() async throws {
        let photos = try open()
        try await photos.insert("secret name", from: PhotoBytes.pieces(PhotoBytes.jpeg(1000)))
        try photos.seal(keys: keys)
        try protect("name", photos)
        let id = try await photos.insert("other name", from: PhotoBytes.pieces(PhotoBytes.jpeg(250_000)))
        #expect(try await photos.all().map(\.name) == ["secret name", "other name"])
        #expect(try await photos.rename(1, "new name"))
        #expect(try await photos.photo(1)?.name == "new name")
        #expect(try await photos.bytes(of: 1, in: 0..<1000) == PhotoBytes.jpeg(1000))
        #expect(try await PhotoBytes.all(photos, id) == PhotoBytes.jpeg(250_000))
        #expect(try await photos.photo(id)?.mediaType == "image/jpeg")
        try await photos.store.close()
        let pages = try DecryptedPages(scratch.path, scratch.keyring.activeDatabaseKey())
        for name in ["secret name", "other name", "new name"] {
            #expect(!pages.contain(Array(name.utf8)))
        }
    }
}
