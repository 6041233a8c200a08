import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite("The microblog as JSON lines")
struct MicroblogLinesTests {
    private func read(_ bytes: [UInt8], _ blog: MicroblogStore) throws -> ImportReport {
        let folder = try TemporaryFolder()
        return try blog.importJSONLines(folder.write("lines.jsonl", bytes))
    }

    private func export(_ blog: MicroblogStore) throws -> [UInt8] {
        var bytes: [UInt8] = []
        _ = try blog.exportJSONLines { bytes += $0 }
        return bytes
    }

    @Test(
        "Users and statuses are imported; unknown fields, line endings and a byte-order mark do not matter"
    )
    func imports() throws {
        let blog = try MicroblogStore.inMemory()
        _ = try blog.add(User(name: "there before"))
        let report = try read(
            Array(
                """
                \u{FEFF}{"kind":"user","id":7,"name":"Ann","more":[1,{"a":null}]}\r
                {"kind":"user","id":-1,"name":"","screenName":"B","profileImageURL":"p","mbtype":"m","city":"c"}
                {"kind":"status","user":7,"text":"one","source":"web","createdAt":1346186100000000}\r
                { "text" : "two", "kind" : "status", "user" : -1, "createdAt" : "2012-08-28T20:35:00.25+08:00" }
                {"kind":"status","id":5,"user":7,"text":"three","createdAt":"Tue Aug 28 20:35:00 +0800 2012"}
                {"kind":"status","text":"four","createdAt":null,"createdAtAsWritten":"the other day"}
                """.utf8), blog)
        #expect(report == ImportReport.of(6))
        #expect(
            try blog.timeline().map {
                "\($0.user?.name ?? "-")|\($0.status.text)|\($0.status.createdAt ?? 0)"
            }
                == [
                    "Ann|one|1346186100000000", "|two|1346157300250000",
                    "Ann|three|1346157300000000",
                    "-|four|0",
                ])
        let users = try blog.users()
        #expect(users.map(\.screenName) == ["B", "Ann", "there before"])
        #expect(users[0].city == "c" && users[0].mbtype == "m" && users[0].profileImageURL == "p")
    }

    @Test(
        "Lines that violate the contract are reported with number and reason, the others imported"
    )
    func rejections() throws {
        let blog = try MicroblogStore.inMemory()
        let lines: [(String, String?)] = [
            (#"{"kind":"user","id":1,"name":"Ann"}"#, nil),
            ("", "it is not a JSON object"), ("secret", "it is not a JSON object"),
            ("[1]", "it is not a JSON object"),
            (#"{"kind":"user","id":2,"name":"cut"#, "it is not a JSON object"), (#"{"id":2}"#, "it has no kind"),
            (#"{"kind":"secret"}"#, "its kind is neither user nor status"),
            (#"{"kind":"user","name":"x"}"#, "a user has no id"), (#"{"kind":"user","id":2}"#, "a user has no name"),
            (#"{"kind":"user","id":1,"name":"x"}"#, "its id is that of an earlier user"),
            (#"{"kind":"user","id":"2","name":"x"}"#, "id has the wrong type"),
            (#"{"kind":"user","id":2,"name":3}"#, "name has the wrong type"),
            (#"{"kind":"status","user":1}"#, "a status has no text"),
            (#"{"kind":"status","user":2,"text":"x"}"#, "its user is on no earlier line"),
            (#"{"kind":"status","text":"x","createdAt":"secret"}"#, "createdAt is not a date"),
            (#"{"kind":"status","text":"x","createdAt":true}"#, "createdAt has the wrong type"),
            (#"{"kind":"status","text":"\ud800"}"#, "it is not a JSON object"),
            (#"{"kind":"user","id":3,"name":"x"} {}"#, "it is not a JSON object"),
            (#"{"kind":"status","user":1,"text":"last"}"#, nil),
        ]
        let report = try read(Array(lines.map(\.0).joined(separator: "\n").utf8), blog)
        #expect(report.imported == 2)
        #expect(
            report.rejections.map { "\($0.line ?? 0): \($0.reason)" }
                == lines.enumerated().compactMap { index, line in
                    line.1.map { "\(index + 1): \($0)" }
                })
        #expect(!"\(report)".contains("secret"))
        let bytes = Array(#"{"kind":"user","id":1,"name":""#.utf8) + [0xFF] + Array("\"}".utf8)
        #expect(try read(bytes, blog).rejections.map(\.reason) == ["it is not a JSON object"])
        let deep = String(repeating: "[", count: 100_000)
        #expect(try read(Array(#"{"kind":"user","id":1,"name":"x","y":\#(deep)"#.utf8), blog).rejected == 1)
        #expect(try read([], blog) == ImportReport.of(0))
        #expect(throws: LockstepError.self) { try blog.importJSONLines("/nowhere/lines.jsonl") }
        #expect(try blog.count() == 1)
    }

    @Test("An export can be imported unchanged, including every awkward text")
    func roundTrip() async throws {
        let blog = try await MicroblogStore.inMemory()
        for (index, text) in AwkwardTexts.all.enumerated() {
            let id = try await blog.add(
                User(name: text, screenName: text, profileImageURL: text, mbtype: text, city: text))
            try await blog.add(
                Status(
                    source: text, createdAt: index == 3 ? .min : Int64(index) * 1_000_001,
                    createdAtAsWritten: index == 5 ? nil : text, text: text, userID: id))
        }
        try await blog.add(Status(text: String(AwkwardTexts.long), userID: nil))
        let bytes = try export(blog)
        let copy = try await MicroblogStore.inMemory()
        let folder = try TemporaryFolder()
        let report = try await copy.importJSONLines(folder.write("lines.jsonl", bytes))
        #expect(report == ImportReport.of(2 * AwkwardTexts.all.count + 1))
        #expect(try export(copy) == bytes)
        for (one, other) in zip(try await blog.timeline(1000), try await copy.timeline(1000)) {
            #expect(AwkwardTexts.areSame(one.status.text, other.status.text))
            #expect(AwkwardTexts.areSame(one.user?.name, other.user?.name))
            #expect(one.status.createdAt == other.status.createdAt)
        }
    }

    @Test("A failing export ends with the writer's error")
    func failing() throws {
        struct Full: Error {}
        let blog = try MicroblogStore.inMemory()
        _ = try blog.add(User(name: "Ann"))
        #expect(throws: Full.self) { try blog.exportJSONLines { _ in throw Full() } }
        #expect(try MicroblogStore.inMemory().exportJSONLines { _ in } == 0)
    }
}
