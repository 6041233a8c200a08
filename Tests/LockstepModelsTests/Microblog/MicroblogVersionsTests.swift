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
        let ids = try blog.add((0..<10).map { Status(createdAt: Int64($0 / 4), text: "word \($0)", userID: ann) })
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

    @Test(
        "A user that is text has no key: the migration says how many, and no list fails",
        .enabled(if: PlainDatabase.isPossible, PlainDatabase.missing))
    func objects() throws {
        let bench = try ModelBench()
        try bench.adopt(
            PlainDatabase.make(
                "microblog.sqlite", in: bench.folder,
                """
                CREATE TABLE User (Id integer PRIMARY KEY AUTOINCREMENT,name text,screenName text, profileImageUrl text,mbtype text,city text);
                CREATE TABLE Status (Id integer PRIMARY KEY AUTOINCREMENT,source text,createdAt date,"text" text,user integer REFERENCES User (Id));
                INSERT INTO User (name) VALUES ('Ann');
                INSERT INTO Status ("text", user) VALUES ('of Ann', '1'), ('of an object', '<User: 0x6d1b0>'),
                    ('of bytes', x'01'), ('of half', 1.5), ('of nobody', NULL);
                """), as: MicroblogStore.self)
        let connection = try Connection.open(
            bench.path, key: bench.keyring.activeDatabaseKey())
        let report = try Migrator(ModelMigrations.set(MicroblogStore.setName)).run(on: connection)
        let notice = try #require(report.notices.first { $0.code == .rowsReported })
        #expect(notice.message.contains("3 rows: statuses named no user by key"))
        let blog = try bench.open(MicroblogStore.self)
        #expect(try blog.timeline().map(\.user?.id) == [nil, nil, nil, nil, 1])
        #expect(try blog.statuses(ofUserNamed: "Ann").map(\.status.text) == ["of Ann"])
        #expect(try blog.exportJSONLines { _ in } == 6)
    }

    /// The set of an earlier build, whose first version gave its columns no types.
    private func formerSet() throws -> MigrationSet {
        let folder = Programs.package.appending("Migrations/microblog")
        let files = try ModelMigrations.set(MicroblogStore.setName).files.map { file in
            var text = String(decoding: try Bytes.read(folder.appending(file.fileName)), as: UTF8.self)
            if file.version == MigrationVersion(1) {
                for name in ["name", "screenName", "profileImageUrl", "mbtype", "city", "source"] {
                    text = text.replacing("    \(name) text", with: "    \(name)")
                }
            } else if file.version == MigrationVersion(2) {
                text = text.split(separator: "\n", omittingEmptySubsequences: false)
                    .filter { !$0.contains("report ") && !$0.hasPrefix("UPDATE Status SET user") }
                    .joined(separator: "\n")
            }
            return (name: file.fileName, content: text)
        }
        return try MigrationSet(name: "microblog", files: files)
    }

    private func repair(_ store: Store) throws -> Int {
        let set = try ModelMigrations.set(MicroblogStore.setName)
        return try store.blocking.withoutTransaction { connection in
            try Repair(sets: [set]).apply(on: connection).count
        }
    }

    @Test("Files of before, whose columns had no types, are accepted by a repair of the ledger")
    func formerFiles() throws {
        let set = try ModelMigrations.set(MicroblogStore.setName)
        let bench = try ModelBench()
        let store = try Store.create(bench.path, rawKey: bench.keyring.activeDatabaseKey())
        try store.blocking.migrate(formerSet())
        let error = #expect(throws: LockstepError.self) { try store.blocking.migrate(set) }
        #expect(error?.code == .migrationChanged)
        #expect(try repair(store) == 2)
        try store.blocking.migrate(set)
        try store.blocking.close()
        #expect(try bench.open(MicroblogStore.self).count() == 0)
    }

    @Test("A database at their version 1 goes to version 2 with them, and is repaired there")
    func formerFirstVersion() throws {
        let set = try ModelMigrations.set(MicroblogStore.setName)
        let bench = try ModelBench()
        let store = try Store.create(bench.path, rawKey: bench.keyring.activeDatabaseKey())
        try store.blocking.migrate(formerSet(), to: .version(MigrationVersion(1)))
        try store.blocking.write { connection in
            try connection.execute("INSERT INTO User (name) VALUES ('Ann')")
        }
        for body in [{ _ = try store.blocking.migrate(set) }, { _ = try repair(store) }] {
            let error = #expect(throws: LockstepError.self) { try body() }
            #expect(error?.code == .migrationChanged)
        }
        try store.blocking.migrate(formerSet(), to: .version(MigrationVersion(2)))
        #expect(try repair(store) == 2)
        try store.blocking.migrate(set)
        try store.blocking.close()
        let blog = try bench.open(MicroblogStore.self)
        #expect(try blog.users(named: "Ann").map(\.id) == [1])
        try blog.store.blocking.close()
        let report = try bench.verify()
        #expect(report.isClean, "\(report.outcomes.flatMap(\.findings))")
    }

    @Test("Users are found and removed by name")
    func names() throws {
        let blog = try MicroblogStore.inMemory()
        for name in ["Ann", "O'Brien", "Ann", "ann"] {
            let id = try blog.add(User(name: name))
            try blog.add(Status(text: "of \(name)", userID: id))
        }
        #expect(try blog.users(named: "Ann").map(\.id) == [1, 3])
        #expect(try blog.users(named: "O'Brien").map(\.id) == [2])
        #expect(try blog.users(named: "Nobody").isEmpty)
        #expect(try blog.removeUsers(named: "Ann") == 2)
        #expect(try blog.removeUsers(named: "Ann") == 0)
        #expect(try blog.timeline().map(\.status.text).sorted() == ["of O'Brien", "of ann"])
    }

    @Test("Awaited, too")
    func awaitedNames() async throws {
        let blog: MicroblogStore = try await MicroblogStore.inMemory()
        try await blog.add(User(name: "Ann"))
        #expect(try await blog.users(named: "Ann").map(\.id) == [1])
        #expect(try await blog.removeUsers(named: "Ann") == 1)
        #expect(try await blog.users().isEmpty)
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
                CREATE TABLE User (Id integer PRIMARY KEY AUTOINCREMENT,name text,screenName text, profileImageUrl text,mbtype text,city text);
                CREATE TABLE Status (Id integer PRIMARY KEY AUTOINCREMENT,source text,createdAt date,"text" text,
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
