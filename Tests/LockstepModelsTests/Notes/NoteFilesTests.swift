import Foundation
import Lockstep
import SystemPackage
import TestSupport
import Testing

@testable import LockstepModels

@Suite("Notes from files and to files")
struct NoteFilesTests {
    let scratch: ModelScratch
    let notes: NoteStore
    let texts: TemporaryFolder

    init() throws {
        scratch = try ModelScratch()
        notes = try scratch.open()
        texts = try TemporaryFolder()
    }

    private static func utf16(_ text: String, bigEndian: Bool) -> [UInt8] {
        ("\u{FEFF}" + text).utf16.flatMap { unit in
            let bytes = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
            return bigEndian ? bytes.reversed() : bytes
        }
    }

    private func bodies() throws -> [String] {
        try notes.list(limit: 1000).map(\.id).sorted().compactMap { try notes.body(of: $0) }
    }

    @Test("A folder's texts are imported by name, in every declared encoding; the rest is reported")
    func folder() throws {
        let text = "Grüße 👋\r\naus Köln\n"
        try texts.write("a.txt", text)
        try texts.write("b.md", [0xEF, 0xBB, 0xBF] + Array(text.utf8))
        try texts.write("c.MARKDOWN", Self.utf16(text, bigEndian: false))
        try texts.write("d.text", Self.utf16(text, bigEndian: true))
        try texts.write("e.txt", [0x47, 0x72, 0xFC])
        try texts.write("f.txt", "")
        try texts.write("g.txt", [0xFF, 0xFE])
        try texts.write("h.txt", [0xFF, 0xFE, 0x41])
        try texts.write("i.txt", [0xFF, 0xFE, 0x00, 0xD8, 0x41, 0x00])
        try texts.write("j.txt", [0xFF, 0xFE, 0, 0, 0x41, 0, 0, 0])
        try texts.write("k.txt", [0x41, 0, 0x42, 0, 0x43, 0])
        try texts.write("l.txt", [0xEF, 0xBB, 0xBF, 0xFF])
        try texts.write("m.jpg", "not looked at")
        try texts.write(".hidden.txt", "not looked at either")
        try FileManager.default.createDirectory(atPath: texts.file("sub").string, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: texts.file("n.txt").string, withDestinationPath: texts.file("a.txt").string)
        let report = try notes.importTexts(texts.path)
        #expect(report.imported == 4)
        #expect(try bodies() == [text, text, text, text])
        #expect(report.rejected == report.rejections.count)
        #expect(
            report.rejections.map { "\($0.file ?? "-"): \($0.reason)" } == [
                "sub: it is a folder", "e.txt: it is not valid UTF-8 and declares no other encoding",
                "f.txt: it contains no text", "g.txt: it contains no text", "h.txt: it is not valid UTF-16",
                "i.txt: it is not valid UTF-16", "j.txt: it is UTF-32: save it as UTF-8",
                "k.txt: it looks like UTF-16 without a byte-order mark: save it as UTF-8",
                "l.txt: it is not valid UTF-8 and declares no other encoding",
                "m.jpg: its name ends in none of .txt, .text, .md, .markdown", "n.txt: it cannot be read: not-a-file",
            ])
    }

    @Test("Text that is neither UTF-8 nor UTF-16 is read in the requested encoding")
    func legacy() throws {
        let file = try texts.write("old.txt", (0x80...0xFF).map { UInt8($0) })
        #expect(try notes.importTexts(file).rejections.map(\.line) == [nil])
        #expect(try notes.importTexts(file, legacy: .latin1).imported == 1)
        #expect(try notes.importTexts(file, legacy: .windows1252).imported == 1)
        let latin = String(String.UnicodeScalarView((0x80...0xFF).map { Unicode.Scalar(UInt8($0)) }))
        let upper = latin.unicodeScalars.dropFirst(32)
        let windows =
            "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ" + String(upper)
        #expect(try bodies() == [latin, windows])
        // UTF-8 is still read as UTF-8.
        _ = try notes.importTexts(texts.write("new.txt", "ü"), legacy: .latin1)
        #expect(try bodies().last == "ü")
    }

    @Test("A single file can have any name; a missing one is an error")
    func oneFile() throws {
        #expect(try notes.importTexts(texts.write("README", "text")).imported == 1)
        let error = #expect(throws: LockstepError.self) {
            try notes.importTexts(texts.file("none.txt"))
        }
        #expect(error?.code == .notFound)
        let empty = try TemporaryFolder()
        #expect(try notes.importTexts(empty.path) == ImportReport())
    }

    @Test("Every text is exported and imported unchanged, including NULs and line ends") func roundTrip() async throws {
        for text in AwkwardTexts.notEmpty { try await notes.create(text) }
        let folder = texts.file("out")
        #expect(try await notes.exportTexts(to: folder) == AwkwardTexts.notEmpty.count)
        for (index, text) in AwkwardTexts.notEmpty.enumerated() {
            let bytes = try Bytes.read(folder.appending("\(index + 1).md"))
            #expect(bytes == Array(text.utf8))
        }
        let modes = try FileManager.default.attributesOfItem(atPath: folder.appending("1.md").string)
        #expect(modes[.posixPermissions] as? Int == 0o600)
        let other = try ModelScratch()
        let copy: NoteStore = try other.open()
        let report = try await copy.importTexts(folder)
        #expect(report.imported == AwkwardTexts.notEmpty.count)
        #expect(report.rejected == 0)
        #expect(try await notes.exportTexts(to: texts.file("again")) == AwkwardTexts.notEmpty.count)
    }

    @Test("An export overwrites nothing, and leaves nothing if it fails")
    func exportRefused() throws {
        try notes.create("text")
        let before = try FileManager.default.contentsOfDirectory(atPath: texts.path.string)
        for taken in [texts.path, try texts.write("file", "x")] {
            let error = #expect(throws: LockstepError.self) { try notes.exportTexts(to: taken) }
            #expect(error?.code == .alreadyExists)
        }
        #expect(throws: LockstepError.self) {
            try notes.exportTexts(to: texts.file("no/such/folder"))
        }
        // Fails in the middle: the second text is not UTF-8.
        try notes.store.blocking.write { connection in
            try connection.execute("INSERT INTO records (title, txt) VALUES ('x', CAST(x'FFFE41' AS TEXT))")
        }
        #expect(throws: LockstepError.self) { try notes.exportTexts(to: texts.file("out")) }
        let after = try FileManager.default.contentsOfDirectory(atPath: texts.path.string)
        #expect(after.sorted() == (before + ["file"]).sorted())
    }
}
