import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite("Exports for recipients, and imports of them")
struct SealedFilesTests {
    let identity: ImportIdentity
    let stranger: ImportIdentity
    let recipient: Recipient

    init() throws {
        let own = try Identity.generate()
        recipient = own.recipient
        identity = ImportIdentity(own)
        stranger = ImportIdentity(try Identity.generate())
    }

    private func export(
        _ path: FilePath, _ body: (_ write: ([UInt8]) throws -> Void) throws -> Int
    ) throws -> Int {
        try ExportSealing.write(to: path, for: [recipient], body)
    }

    /// Expects the error code for a missing or wrong identity.
    private func refused(_ body: () throws -> ImportReport) throws {
        let error = try #require(throws: LockstepError.self) { _ = try body() }
        #expect(error.code == .slotNotOpened)
    }

    @Test(
        "films, people and statuses are exported sealed, and only the recipient can import them"
    )
    func lines() throws {
        let bench = try ModelBench("movies", "contacts")
        let films = try bench.open(MovieStore.self)
        for number in 0..<3000 {
            try films.insert(Movie(title: "film \(number)", category: "c", year: 1999))
        }
        let sealed = bench.folder.file("films.tsv.age")
        #expect(try export(sealed) { try films.exportTSV($0) } == 3000)
        let bytes = try Bytes.read(sealed)
        #expect(!bytes.withUnsafeBytes { unsafe $0.holds(Array("film 1".utf8)) })
        let other = try ModelBench("movies", "contacts")
        let copy = try other.open(MovieStore.self)
        try refused { try copy.importTSV(sealed) }
        try refused { try copy.importTSV(sealed, opening: stranger) }
        #expect(try copy.count() == 0)
        #expect(try copy.importTSV(sealed, opening: identity).imported == 3000)
        #expect(try copy.allByYear() == films.allByYear())
        // A truncated file is not partly imported.
        let cut = try other.folder.write("cut.age", Array(bytes.dropLast(5)))
        #expect(throws: LockstepError.self) { try copy.importTSV(cut, opening: identity) }
        #expect(try copy.count() == 3000)
        // With an identity, an unsealed file is refused: anyone could have written it.
        for text in ["a\tb\t1999\t\t\n", "", "-----BEGIN AGE ENCRYPTED FILE-----\n", "age-encryption.org/v1"] {
            let plain = try other.folder.write("plain.tsv", text)
            let error = #expect(throws: LockstepError.self) {
                try copy.importTSV(plain, opening: identity)
            }
            #expect(error?.code == .malformedInput)
            #expect(error?.message.contains("is not a file in age's") == true)
            #expect(error?.hint?.contains(text.hasPrefix("-") ? "armor" : "leave the identity out") == true)
        }
        #expect(try copy.count() == 3000)
        let plain = try other.folder.write("plain.tsv", "a\tb\t1999\t\t\n")
        #expect(try copy.importTSV(plain).imported == 1)

        let people = try other.open(ContactStore.self, at: other.folder.file("people.db"))
        try people.insert(Contact(firstName: "Ann", lastName: "O'Brien"))
        let cards = other.folder.file("people.vcf.age")
        #expect(try export(cards) { try people.exportVCards($0) } == 1)
        try refused { try people.importVCards(cards) }
        #expect(try people.importVCards(cards, opening: identity).imported == 1)

        let blog = try other.open(MicroblogStore.self, at: other.folder.file("blog.db"))
        try blog.add(User(name: "ann"))
        let lines = other.folder.file("blog.json.age")
        #expect(try export(lines) { try blog.exportJSONLines($0) } == 1)
        try refused { try blog.importJSONLines(lines) }
        #expect(try blog.importJSONLines(lines, opening: identity).imported == 1)
    }

    @Test("notes and photos are exported as sealed files with neutral names, and imported again")
    func folders() throws {
        let bench = try ModelBench()
        let notes = try bench.open(NoteStore.self)
        for text in ["one", "two\nlines", "Grüße"] { _ = try notes.create(text) }
        let folder = bench.folder.file("notes")
        #expect(try notes.exportTexts(to: folder, sealedFor: [recipient]) == 3)
        #expect(try FileManagerList.names(folder) == ["1.md.age", "2.md.age", "3.md.age"])
        let other = try ModelBench()
        let copy = try other.open(NoteStore.self)
        #expect(try copy.importTexts(folder).rejected == 3)
        #expect(try copy.importTexts(folder, opening: identity).imported == 3)
        let mixed = try TemporaryFolder()
        try mixed.write("plain.txt", "text")
        try mixed.write("sealed.txt.age", Bytes.read(folder.appending("1.md.age")))
        let report = try copy.importTexts(mixed.path, opening: identity)
        #expect(report.imported == 1 && report.rejections.map(\.file) == ["plain.txt"])
        #expect(report.rejections.first?.reason.contains("not a file in age's") == true)
        #expect(try copy.body(of: 2) == "two\nlines")

        let photos = try bench.open(PhotoStore.self, at: bench.folder.file("photos.db"))
        let jpeg = PhotoBytes.jpeg(200_000)
        let file = try bench.folder.write("Ann at home.jpg", jpeg)
        #expect(try photos.importFiles(file).imported == 1)
        let out = bench.folder.file("photos")
        #expect(try photos.exportFiles(to: out, sealedFor: [recipient]) == 1)
        #expect(try FileManagerList.names(out) == ["1.age"])
        let again = try other.open(PhotoStore.self, at: other.folder.file("photos.db"))
        #expect(try again.importFiles(out).rejected == 1)
        #expect(try again.importFiles(out, opening: identity).imported == 1)
        let photo = try #require(try again.all().first)
        #expect(photo.byteCount == jpeg.count && photo.mediaType == "image/jpeg")
        let back = other.folder.file("back.jpg")
        try again.write(photo.id, to: back)
        #expect(try Bytes.read(back) == jpeg)
    }
}
