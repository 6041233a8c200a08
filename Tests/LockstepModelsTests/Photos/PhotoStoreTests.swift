import Lockstep
import SystemPackage
import TestSupport
import Testing

@testable import LockstepModels

@Suite("Photos")
struct PhotoStoreTests {
    let scratch: ModelScratch
    let photos: PhotoStore
    let files: TemporaryFolder
    private struct Stop: Error {}

    init() throws {
        scratch = try ModelScratch()
        // Parts so short that some kilobytes cover all cases.
        photos = PhotoStore(try scratch.open(PhotoStore.self).store, partLength: 1000)
        files = try TemporaryFolder()
    }

    @Test(
        "Content is read back as it was written, from files and streams, in one value or in parts",
        arguments: [4, 12, 999, 1000, 1001, 1999, 2000, 2001, 65_536, 70_000])
    func roundTrip(count: Int) async throws {
        let bytes = PhotoBytes.jpeg(count)
        let file = try files.write("in.jpg", bytes)
        let ids = [
            try await photos.insert("a", from: file), try await photos.insert("b", from: PhotoBytes.pieces(bytes)),
            try await photos.insert("c", from: PhotoBytes.pieces(bytes, of: 1)),
        ]
        #expect(ids == [1, 2, 3])
        for photo in try await photos.all() {
            #expect(photo.byteCount == count)
            #expect(photo.mediaType == "image/jpeg")
            #expect(photo.sha256 == (try PhotoBytes.sha256(bytes)))
            #expect(try await PhotoBytes.all(photos, photo.id) == bytes)
            #expect(try await PhotoBytes.all(photos, photo.id, size: 777) == bytes)
            let out = files.file("out\(photo.id)")
            try await photos.write(photo.id, to: out)
            #expect(try Bytes.read(out) == bytes)
            #expect(try await photos.bytes(of: photo.id, in: 0..<count) == bytes)
            for range in [0..<0, 0..<1, count - 1..<count, count..<count, count / 3..<count / 2] {
                #expect(try await photos.bytes(of: photo.id, in: range) == Array(bytes[range]))
            }
            for range in [-1..<0, 0..<count + 1, count + 1..<count + 1] {
                await #expect(throws: LockstepError.self) {
                    try await photos.bytes(of: photo.id, in: range)
                }
            }
        }
        #expect(try await photos.duplicates().map { $0.map(\.id) } == [[1, 2, 3]])
    }

    @Test("Blocking threads have the same calls")
    func blocking() throws {
        let bytes = PhotoBytes.jpeg(2500)
        let id = try photos.insert("a", from: files.write("in", bytes))
        #expect(try photos.bytes(of: id, in: 900..<2100) == Array(bytes[900..<2100]))
        try photos.write(id, to: files.file("out"))
        #expect(try Bytes.read(files.file("out")) == bytes)
        #expect(try photos.all().map(\.name) == ["a"])
        #expect(try photos.photo(id)?.byteCount == 2500)
        #expect(try photos.photos(withSHA256: PhotoBytes.sha256(bytes)).map(\.id) == [id])
        #expect(try photos.duplicates().isEmpty)
        #expect(try photos.rename(id, "b"))
        #expect(try photos.count() == 1)
        #expect(try photos.delete(id))
        #expect(try photos.count() == 0)
        let left = try photos.store.blocking.read { connection in
            try connection.value("SELECT count(*) FROM photo_part", as: Int.self)
        }
        #expect(left == 0)
    }

    @Test("A name is any text, even of ten megabytes, and is read back unchanged")
    func names() async throws {
        let file = try files.write("in", PhotoBytes.jpeg(20))
        for name in AwkwardTexts.all + ["", AwkwardTexts.long] {
            let id = try await photos.insert(name, from: file)
            #expect(try await photos.photo(id).map { Array($0.name.utf8) } == Array(name.utf8))
            #expect(try await photos.rename(id, "x"))
            #expect(try await photos.rename(id, name))
            #expect(try await photos.all().last.map { Array($0.name.utf8) } == Array(name.utf8))
        }
    }

    @Test("The first bytes determine a photo's type, as in the migration")
    func mediaTypes() async throws {
        let samples: [[UInt8]] = [
            [0xFF, 0xD8, 0xFF], [0xFF, 0xD8], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A],
            [0x89, 0x50, 0x4E, 0x47], Array("GIF89a".utf8), Array("GIF7".utf8), Array("RIFF1234WEBPVP8 ".utf8),
            Array("RIFF1234WAVE".utf8), Array("\0\0\0\u{18}ftypheic".utf8), Array("\0\0\0\u{18}ftypheix".utf8),
            Array("abc".utf8), [],
        ]
        let database = try ModelDatabase("photos", [])
        for sample in samples {
            try database.connection.execute("INSERT INTO photos (photo) VALUES (?)", sample)
        }
        try database.migrate()
        #expect(try database.rows("SELECT mediaType FROM photos") == samples.map { MediaType.of($0) })
        for sample in samples {
            let type = MediaType.of(sample)
            let id = try await photos.insert(
                "x", from: PhotoBytes.pieces(sample, of: 1), rules: PhotoRules(allowsAnyContent: true))
            #expect(try await photos.photo(id)?.mediaType == type)
            #expect(try await PhotoBytes.all(photos, id) == sample)
            guard type == MediaType.unknown else { continue }
            let error = await #expect(throws: LockstepError.self) {
                try await photos.insert("x", from: PhotoBytes.pieces(sample))
            }
            #expect(error?.code == .malformedInput)
        }
        #expect(try await photos.count() == samples.count)
    }

    @Test("A failed write leaves nothing, and the store continues")
    func undone() async throws {
        let bytes = PhotoBytes.jpeg(5000)
        await #expect(throws: Stop.self) {
            try await photos.insert("x", from: PhotoBytes.pieces(bytes, failing: Stop()))
        }
        let missing = await #expect(throws: LockstepError.self) {
            try await photos.insert("x", from: files.file("none"))
        }
        #expect(missing?.code == .notFound)
        await #expect(throws: LockstepError.self) {
            try await photos.insert("x", from: files.path)
        }
        #expect(try await photos.count() == 0)
        let first = try await photos.insert("a", from: PhotoBytes.pieces(bytes))
        let known = await #expect(throws: LockstepError.self) {
            try await photos.insert("b", from: PhotoBytes.pieces(bytes), rules: PhotoRules(refusesKnownContent: true))
        }
        #expect(known?.code == .alreadyExists)
        #expect(try await photos.all().map(\.id) == [first])
        let parts = try await photos.store.read { connection in
            try connection.value("SELECT count(*) FROM photo_part", as: Int.self)
        }
        #expect(parts == 5)
    }

    @Test("A missing photo is neither read, renamed, written nor deleted")
    func missing() async throws {
        #expect(try await photos.photo(1) == nil)
        #expect(try await !photos.rename(1, "x"))
        #expect(try await !photos.delete(1))
        #expect(try await photos.all().isEmpty)
        #expect(try await photos.photos(withSHA256: []).isEmpty)
        for call in [
            { _ = try photos.bytes(of: 1, in: 0..<0) },
            { try photos.write(1, to: files.file("out")) },
        ] as [() throws -> Void] {
            #expect(throws: LockstepError.self) { try call() }
        }
        await #expect(throws: LockstepError.self) { try await PhotoBytes.all(photos, 1) }
        #expect(try !FileManagerList.names(files.path).contains("out"))
        let bare = PhotoStore(try Store.inMemory())
        let error = #expect(throws: LockstepError.self) { try bare.all() }
        #expect(error?.hint?.contains("run `Migrator`") == true)
    }

    @Test("An existing file is not overwritten")
    func writeRefused() async throws {
        let id = try await photos.insert("a", from: PhotoBytes.pieces(PhotoBytes.jpeg(3000)))
        let taken = try files.write("taken", "mine")
        let error = await #expect(throws: LockstepError.self) {
            try await photos.write(id, to: taken)
        }
        #expect(error?.code == .alreadyExists)
        #expect(try Bytes.read(taken) == Array("mine".utf8))
    }

    @Test("Content that was changed, or lacks a part, is an error, and no file of it is left")
    func damaged() async throws {
        let id = try await photos.insert("a", from: PhotoBytes.pieces(PhotoBytes.jpeg(3500)))
        for damage in [
            "UPDATE photo_part SET bytes = zeroblob(1000) WHERE start = 1000",
            "DELETE FROM photo_part WHERE start = 1000", "DELETE FROM photo_part WHERE isLast",
            "DELETE FROM photo_part WHERE start = 0", "UPDATE photo_part SET isLast = 1 WHERE start = 0",
            "UPDATE photos SET byteCount = 9999", "DELETE FROM photo_part",
        ] {
            let scratch = try ModelScratch()
            try await photos.store.withoutTransaction { _ = try $0.checkpoint(.truncate) }
            try Bytes.write(Bytes.read(self.scratch.path), to: scratch.path)
            let store = try Store.open(scratch.path, rawKey: self.scratch.keyring.activeDatabaseKey())
            try await store.write { try $0.execute(SQL(verbatim: damage)) }
            let error = await #expect(throws: LockstepError.self, "\(damage)") {
                try await PhotoStore(store).write(id, to: files.file("out"))
            }
            #expect(error?.code == .damaged, "\(damage)")
            #expect(try FileManagerList.names(files.path).isEmpty)
        }
    }

    @Test("Lists are read from a file in which every page of content is damaged") func damagedPages() async throws {
        let bytes = PhotoBytes.jpeg(400_000)
        let whole = PhotoStore(photos.store)
        try await whole.insert("a", from: PhotoBytes.pieces(bytes))
        try await whole.insert("b", from: PhotoBytes.pieces(PhotoBytes.jpeg(400_000, salt: 2)))
        try await photos.store.close()
        var file = try Bytes.read(scratch.path)
        let pages = file.count / 4096
        for page in (pages - 60)..<(pages - 10) { file[page * 4096 + 100] ^= 1 }
        try Bytes.write(file, to: scratch.path)
        let hurt = try scratch.open(PhotoStore.self)
        #expect(try await hurt.all().map(\.name) == ["a", "b"])
        #expect(try await hurt.rename(1, "c"))
        await #expect(throws: LockstepError.self) { try await PhotoBytes.all(hurt, 2) }
        #expect(try await PhotoBytes.all(hurt, 1) == bytes)
    }
}
