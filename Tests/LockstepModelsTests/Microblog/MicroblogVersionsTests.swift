import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite("The microblog on every version")
struct MicroblogVersionsTests {
    @Test(
        "Pages, changes and JSON lines work from version 2 on, search from version 3 on",
        arguments: [2, 3, 4] as [UInt64])
    func versions(version: UInt64) throws {
        let bench = try ModelBench()
        let blog = try bench.open(MicroblogStore.self, version: version)
        let ann = try blog.add(User(name: "Ann"))
        let ids = try blog.add(
            (0..<10).map { Status(createdAt: Int64($0 / 4), text: "word \($0)", userID: ann) })
        let page = try blog.timeline(4)
        #expect(page.map(\.status.id) == [ids[9], ids[8], ids[7], ids[6]])
        let rest = try blog.timeline(9, before: page[3].cursor)
        #expect(rest.map(\.status.id) == ids[...5].reversed())
        try blog.update(Status(id: ids[0], createdAt: 9, text: "new", userID: ann))
        #expect(try blog.statuses(ofUserNamed: "Ann", 1).map(\.status.text) == ["new"])
        #expect(try blog.exportJSONLines { _ in } == 11)
        guard version > 2 else {
            #expect(throws: LockstepError.self) { try blog.search("word") }
            return
        }
        #expect(try blog.search("word").count == 9)
    }

    @Test("Down to version 2 and up again does not change users and statuses")
    func downAndUp() throws {
        let blog = try MicroblogStore.inMemory()
        for text in AwkwardTexts.all {
            let id = try blog.add(User(name: text, screenName: text, city: text))
            try blog.add(Status(source: text, createdAt: 7, text: text, userID: id))
        }
        func export() throws -> [UInt8] {
            var bytes: [UInt8] = []
            _ = try blog.exportJSONLines { bytes += $0 }
            return bytes
        }
        let before = try export()
        let set = try ModelMigrations.set(MicroblogStore.setName)
        try blog.store.blocking.migrate(set, to: .downTo(MigrationVersion(2)))
        #expect(try export() == before)
        try blog.store.blocking.migrate(set)
        #expect(try export() == before)
        #expect(try blog.search("Brien").count == 1)
    }

    @Test(
        "A status whose user the original program deleted can be read, changed and removed",
        .enabled(if: PlainDatabase.isPossible, PlainDatabase.missing))
    func dangling() throws {
        let bench = try ModelBench()
        try bench.adopt(
            PlainDatabase.make(
                "microblog.sqlite", in: bench.folder,
                """
                CREATE TABLE User (Id INTEGER PRIMARY KEY AUTOINCREMENT, name, screenName, profileImageUrl, mbtype, city);
                CREATE TABLE Status (Id INTEGER PRIMARY KEY AUTOINCREMENT, source, createdAt date, "text" text,
                    user integer REFERENCES User (Id));
                INSERT INTO Status VALUES (1, 'web', '2012-08-28', 'left behind', 777);
                """), as: MicroblogStore.self)
        let blog = try bench.open(MicroblogStore.self)
        var entry = try #require(try blog.timeline().first)
        #expect(entry.user == nil && entry.status.userID == 777)
        var lines: [String] = []
        _ = try blog.exportJSONLines { lines.append(String(decoding: $0, as: UTF8.self)) }
        #expect(lines.count == 1 && !lines[0].contains("777"))
        var status = entry.status
        #expect(throws: LockstepError.self) { try blog.update(status) }
        status.userID = nil
        try blog.update(status)
        entry = try #require(try blog.status(1))
        #expect(entry.status.userID == nil)
        #expect(try blog.removeStatus(1))
    }
}
