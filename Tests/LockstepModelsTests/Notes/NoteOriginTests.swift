import Foundation
import Lockstep
import SystemPackage
import TestSupport
import Testing

@testable import LockstepModels

@Suite("The origins of notes")
struct NoteOriginTests {
    @Test(
        "A read-only template is copied at the first run, and never over an existing file")
    func template() throws {
        let scratch = try ModelScratch()
        let shipped = try scratch.open(NoteStore.self)
        try shipped.create("Welcome")
        try shipped.store.blocking.close()
        let bundle = try TemporaryFolder()
        let template = bundle.file("template.db")
        try Bytes.write(Bytes.read(scratch.path), to: template, mode: 0o400)
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: bundle.path.string)
        let before = try Bytes.read(template)

        let home = try TemporaryFolder()
        let path = home.file("notes.db")
        let key = try Keyring.create(.database)
        func open() throws -> NoteStore {
            try NoteStore.open(
                path, key: key.activeDatabaseKey(),
                template: ModelTemplate(template, key: scratch.keyring.activeDatabaseKey()))
        }
        do {
            let first = try open()
            #expect(try first.list().map(\.title) == ["Welcome"])
            try first.create("mine")
            try first.update(1, "changed")
            try first.store.blocking.close()
        }
        let second = try open()
        #expect(try second.list().map(\.title) == ["changed", "mine"])
        #expect(try Bytes.read(template) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: bundle.path.string).count == 1)
        // The copy has its own key.
        #expect(throws: LockstepError.self) {
            try NoteStore.open(path, key: scratch.keyring.activeDatabaseKey())
        }
    }

    @Test(
        "An original in UTF-16 is adopted, migrated and verified, without any loss",
        .enabled(if: PlainDatabase.isPossible, PlainDatabase.missing),
        arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
    func adopted(encoding: String) throws {
        let scratch = try ModelScratch()
        let notes: NoteStore = try scratch.adopt(
            """
            PRAGMA encoding = '\(encoding)';
            CREATE TABLE records (id INTEGER PRIMARY KEY, title TEXT, txt TEXT);
            INSERT INTO records VALUES (1, 'Grüße', 'Grüße aus Köln 👋 an O''Brien'),
                (2, NULL, '七人の侍, and what follows'), (7, '  ', 'blank title'), (8, 'no text', NULL),
                (9, 'cut' || char(0) || 'here', 'with' || char(0) || 'NUL');
            """)
        let all = try notes.list()
        #expect(all.map(\.id) == [9, 8, 7, 2, 1])
        #expect(all.map(\.title) == ["cut\0here", "no text", "blank title", "七人の侍, and what follows", "Grüße"])
        #expect(all.allSatisfy { $0.createdAt == nil && $0.changedAt == nil })
        #expect(try notes.body(of: 1) == "Grüße aus Köln 👋 an O'Brien")
        #expect(try notes.body(of: 8) == "")
        #expect(try notes.body(of: 9) == "with\0NUL")
        #expect(try notes.search("koln obrien 👋").map(\.id) == [])
        #expect(try notes.search("koln o'brien").map(\.id) == [1])
        #expect(try notes.search("七人の侍").map(\.id) == [2])
        try notes.checkSearch()
        try notes.update(8, "now it has one")
        #expect(try notes.note(8)?.createdAt == nil)
        #expect(try notes.list().first?.id == 8)
        try notes.store.blocking.close()
        let report = try scratch.verify("notes")
        #expect(report.isClean, "\(report.outcomes.flatMap(\.findings))")
    }

    @Test(
        "A database with another schema is not adopted, and the attempt leaves nothing",
        .enabled(if: PlainDatabase.isPossible, PlainDatabase.missing))
    func otherSchema() throws {
        let scratch = try ModelScratch()
        let error = #expect(throws: LockstepError.self) {
            try scratch.adopt("CREATE TABLE records (id INTEGER PRIMARY KEY, txt TEXT)", NoteStore.self)
        }
        #expect(error?.code == .schemaBroken)
        let files = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path.string)
        #expect(files.sorted() == ["k", "original-0.sqlite"])
        _ = try scratch.open(NoteStore.self)
        let taken = #expect(throws: LockstepError.self) {
            try scratch.adopt("SELECT 1", NoteStore.self)
        }
        #expect(taken?.code == .alreadyExists)
    }
}
