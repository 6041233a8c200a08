import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite(
    "A microblog that the original program wrote",
    .enabled(if: PlainDatabase.isPossible, PlainDatabase.missing))
struct MicroblogAdoptionTests {
    /// The SQL value and its instant; nil for an invalid date, which stays as it was written.
    private static let dates: [(sql: String, instant: Int64?)] = [
        ("'2012-08-28 20:35:00'", 1_346_186_100_000_000), ("'2012-08-28 20:35'", 1_346_186_100_000_000),
        ("'2012-08-28T20:35:00+08:00'", 1_346_157_300_000_000), ("'2012-08-28 20:35:00 +0800'", 1_346_157_300_000_000),
        ("'2012-08-28 20:35:00 +08:00'", 1_346_157_300_000_000),
        ("'2012-08-28 20:35:00 +08'", nil),
        ("'2012-08-28T20:35:00Z'", 1_346_186_100_000_000), ("'2012-08-28 20:35:00.250'", 1_346_186_100_250_000),
        ("'2012-08-28'", 1_346_112_000_000_000), ("'Tue Aug 28 20:35:00 +0800 2012'", 1_346_157_300_000_000),
        ("'Fri Dec 31 23:59:59 -0330 1999'", 946_697_399_000_000),
        ("'1969-12-31 23:59:59'", -1_000_000),
        ("'2012-02-29'", 1_330_473_600_000_000), ("1346186100", 1_346_186_100_000_000),
        ("1346186100.5", 1_346_186_100_500_000), ("0", 0), ("-1", -1_000_000),
        ("'the other day'", nil), ("''", nil), ("NULL", nil), ("'28.8.2012'", nil),
        ("'2012-13-01'", nil),
        ("'2012-08-28 25:00:00'", nil), ("'O''Brien'", nil),
        ("'Tue Aua 28 20:35:00 +0800 2012'", nil),
    ]

    private static func original() -> String {
        var sql = """
            CREATE TABLE User (Id integer PRIMARY KEY AUTOINCREMENT,name text,screenName text, profileImageUrl text,mbtype text,city text);
            CREATE TABLE Status (Id integer PRIMARY KEY AUTOINCREMENT,source text,createdAt date,"text" text,
                user integer REFERENCES User (Id));
            INSERT INTO User VALUES (5000, 'O''Brien', 'ob', 'http://x', 3, NULL), (5001, NULL, NULL, NULL, NULL, NULL);
            INSERT INTO Status VALUES (9000, NULL, NULL, NULL, 5001), (9001, 'web', 0, 'of nobody', NULL);

            """
        for (index, text) in AwkwardTexts.all.enumerated() {
            let (key, text) = (index + 1, PlainDatabase.quoted(text))
            sql += "INSERT INTO User VALUES (\(key), \(text), \(text), \(text), \(text), \(text));\n"
            sql += "INSERT INTO Status VALUES (\(key), \(text), 0, \(text), \(key));\n"
        }
        for (index, date) in dates.enumerated() {
            sql += "INSERT INTO Status VALUES (\(1000 + index), 'from web', \(date.sql), 'date', 5000);\n"
        }
        return sql
    }

    @Test("is adopted, migrated to the newest version and verified, and every value is found again")
    func adopted() throws {
        let bench = try ModelBench()
        try bench.adopt(
            PlainDatabase.make("microblog.sqlite", in: bench.folder, Self.original()), as: MicroblogStore.self)
        let blog = try bench.open(MicroblogStore.self)
        for (index, text) in AwkwardTexts.all.enumerated() {
            let entry = try #require(try blog.status(Int64(index + 1)))
            let user = try #require(entry.user)
            for read in [
                user.name, user.screenName, user.profileImageURL, user.mbtype, user.city,
                entry.status.source,
                entry.status.text,
            ] {
                #expect(AwkwardTexts.areSame(read, text), "\(text.debugDescription)")
            }
            #expect(entry.status.createdAt == 0 && entry.status.createdAtAsWritten == nil)
        }
        for (index, date) in Self.dates.enumerated() {
            let status = try #require(try blog.status(Int64(1000 + index))).status
            #expect(status.createdAt == date.instant, "\(date.sql)")
            let written =
                date.sql == "NULL" || date.instant != nil
                ? nil : String(date.sql.dropFirst().dropLast()).replacing("''", with: "'")
            #expect(status.createdAtAsWritten == written, "\(date.sql)")
        }
        let brian = try #require(try blog.user(5000))
        #expect(brian.name == "O'Brien" && brian.mbtype == "3" && brian.city == nil)
        let named = try blog.statuses(ofUserNamed: "O'Brien").filter { $0.user?.id == 5000 }
        #expect(named.count == Self.dates.count)
        #expect(try blog.user(5001)?.name == "" && blog.status(9000)?.status.text == "")
        #expect(try blog.status(9001)?.user == nil)
        #expect(try blog.search("nobody").map(\.status.id) == [9001])
        #expect(try blog.count() == AwkwardTexts.all.count + Self.dates.count + 2)
        #expect(try blog.add(Status(text: "new", userID: 1)) == 9002)
        try blog.store.blocking.close()
        let report = try bench.verify()
        #expect(report.isClean, "\(report.outcomes.flatMap(\.findings))")
    }

    @Test("An import reads the same dates as the migration")
    func sameDates() {
        for date in Self.dates where date.sql.hasPrefix("'") {
            let text = String(date.sql.dropFirst().dropLast())
            #expect(Instant.microseconds(of: text) == date.instant, "\(text)")
        }
        #expect(Instant.microseconds(of: "0000-01-01") == -62_167_219_200_000_000)
    }

    @Test(
        "Instants are shown in UTC",
        arguments: [
            (0, "1970-01-01 00:00:00Z"), (-1, "1969-12-31 23:59:59Z"), (951_782_400_000_000, "2000-02-29 00:00:00Z"),
            (1_346_186_100_999_999, "2012-08-28 20:35:00Z"), (-62_135_596_800_000_000, "0001-01-01 00:00:00Z"),
            (Int64.max, "294247-01-10 04:00:54Z"), (Int64.min, "-290308-12-21 19:59:05Z"),
        ] as [(Int64, String)])
    func shown(instant: Int64, text: String) {
        #expect(Instant.text(instant) == text)
    }
}
