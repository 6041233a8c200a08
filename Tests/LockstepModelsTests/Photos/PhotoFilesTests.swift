import Foundation
import Lockstep
import SystemPackage
import TestSupport
import Testing

@testable import LockstepModels

@Suite("Photos from files and to files")
struct PhotoFilesTests {
    let scratch: ModelScratch
    let photos: PhotoStore
    let files: TemporaryFolder

    init() throws {
        scratch = try ModelScratch()
        photos = PhotoStore(try scratch.open(PhotoStore.self).store, partLength: 1000)
        files = try TemporaryFolder()
    }

    @Test("A folder's images are imported by name, each one separately, and the rest is reported")
    func folder() async throws {
        try files.write("a.jpg", PhotoBytes.jpeg(500))
        try files.write("b O'Brien 👋.jpg", PhotoBytes.jpeg(5000))
        try files.write("c.jpg", PhotoBytes.jpeg(500))
        try files.write("d.txt", "no image")
        try files.write("e.jpg", "")
        try FileManager.default.createSymbolicLink(
            atPath: files.file("f.jpg").string, withDestinationPath: files.file("a.jpg").string)
        try FileManager.default.createDirectory(atPath: files.file("sub").string, withIntermediateDirectories: false)
        let reasons = [
            "sub: it is a folder", "d.txt: it is not an image of a known kind: JPEG, PNG, GIF, WebP, HEIC",
            "e.jpg: it is not an image of a known kind: JPEG, PNG, GIF, WebP, HEIC",
            "f.jpg: it cannot be read: not-a-file",
        ]
        let report = try await photos.importFiles(files.path)
        #expect(report.imported == 3)
        #expect(report.rejections.map { "\($0.file ?? "-"): \($0.reason)" } == reasons)
        #expect(try await photos.all().map(\.name) == ["a.jpg", "b O'Brien 👋.jpg", "c.jpg"])
        #expect(try await photos.duplicates().map { $0.map(\.id) } == [[1, 3]])
        // Again: known content is reported, and not imported twice.
        let again = try await photos.importFiles(files.path, rules: PhotoRules(refusesKnownContent: true))
        #expect(again.imported == 0 && again.known == 3 && !again.tookNothing)
        #expect(again.rejections.contains { $0.reason == "its content is already stored as photo 2" })
        #expect(try await photos.count() == 3)
    }

    @Test("A single file, with any content if allowed; a missing one is an error")
    func one() throws {
        let file = try files.write("x.bin", "any")
        let refused = try photos.importFiles(file)
        #expect(refused.rejections.map(\.file) == [nil] && refused.tookNothing)
        #expect(try photos.importFiles(file, rules: PhotoRules(allowsAnyContent: true)).imported == 1)
        let error = #expect(throws: LockstepError.self) { try photos.importFiles(files.file("no")) }
        #expect(error?.code == .notFound)
    }

    @Test("Every photo is exported to its own file, whatever its name")
    func export() async throws {
        let names = AwkwardTexts.all + ["", "..", "a/b", "same", "same", String(repeating: "長", count: 500)]
        for (index, name) in names.enumerated() {
            try await photos.insert(name, from: PhotoBytes.pieces(PhotoBytes.jpeg(900 + 50 * index)))
        }
        let folder = files.file("out")
        #expect(try await photos.exportFiles(to: folder) == names.count)
        let found = try FileManagerList.names(folder)
        #expect(found.count == names.count)
        for name in found {
            let id = try #require(Int(name.prefix { $0 != "-" }))
            #expect(try Bytes.read(folder.appending(name)) == PhotoBytes.jpeg(850 + 50 * id))
        }
        let count = AwkwardTexts.all.count
        #expect(found.contains("\(count + 3)-a_b"))
        #expect(found.contains("\(count + 4)-same") && found.contains("\(count + 5)-same"))
        let taken = #expect(throws: LockstepError.self) { try photos.exportFiles(to: folder) }
        #expect(taken?.code == .alreadyExists)
    }

    @Test("If a photo is damaged, no folder is left")
    func damaged() async throws {
        for _ in 0..<3 {
            try await photos.insert("a", from: PhotoBytes.pieces(PhotoBytes.jpeg(1500)))
        }
        try await photos.store.write { connection in
            try connection.execute("DELETE FROM photo_part WHERE photo = 2 AND isLast")
        }
        let error = #expect(throws: LockstepError.self) {
            try photos.exportFiles(to: files.file("out"))
        }
        #expect(error?.code == .damaged)
        #expect(try FileManagerList.names(files.path).isEmpty)
    }
}
