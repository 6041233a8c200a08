import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Folders of Atlas, whose `atlas.sum` is checked.
@Suite("The sums of Atlas")
struct AtlasSumTests {
    /// `atlas.sum` of these files.
    static func sum(_ files: [(name: String, text: String)]) throws -> String {
        func base64(_ bytes: [UInt8]) -> String {
            let text = Base64.encode(bytes)
            return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        }
        var (running, whole, lines) = ([UInt8](), [UInt8](), "")
        for (name, text) in files {
            running += Array("\(name)\(text)".utf8)
            let digest = base64(try HashFunction.sha256.digest(running.span))
            whole += Array("\(name)\(digest)".utf8)
            lines += "\(name) h1:\(digest)\n"
        }
        return "h1:\(base64(try HashFunction.sha256.digest(whole.span)))\n\(lines)"
    }

    private static let files = [("1_a.sql", "CREATE TABLE a (x);\n"), ("2_b.sql", "CREATE TABLE b (x);\n")]

    private func folder(
        _ change: (inout [String: String]) -> Void = { _ in }
    ) throws -> [String: String] {
        var folder = Dictionary(uniqueKeysWithValues: Self.files)
        folder["atlas.sum"] = try Self.sum(Self.files)
        change(&folder)
        return folder
    }

    @Test("The list that Atlas itself wrote holds together")
    func vector() throws {
        let text = """
            h1:GMi7mvWSIHv0I/Wrc2NCGVt9Z5hWZbPa6wL986t7Z2o=
            20220318104614_initial.sql h1:FifWjY2X0g2YVnb18Qm+QBPvoldDOOob7bS0LrFuCXc=
            20220318104615_second.sql h1:wbPDlODOQeixCiopAhlT7W4xOO9TgJxzjYjxf4TA2f4=

            """
        let bytes = Array(text.utf8)
        _ = try AtlasSum(MigrationSource(path: "atlas.sum", bytes: bytes))
        Refusal.expect(.migrationMalformed) {
            let changed = text.replacing("wbPD", with: "wbPE")
            _ = try AtlasSum(MigrationSource(path: "atlas.sum", bytes: Array(changed.utf8)))
        }
        #expect(try LayoutFolder.error(folder()) == nil)
    }

    @Test("Every difference between the list and the files is refused with a name") func differences() throws {
        let cases: [(String, (inout [String: String]) -> Void)] = [
            ("1_a.sql", { $0["1_a.sql"]? += " " }), ("2_b.sql", { $0["2_b.sql"] = "CREATE TABLE c (x);" }),
            ("3_c.sql", { $0["3_c.sql"] = "" }), ("0_a.sql", { $0["0_a.sql"] = "" }),
            ("2_b.sql", { $0["2_b.sql"] = nil }), ("2_b.sql", { $0["1_a.sql"] = nil }),
            ("views.sql", { $0["views.sql"] = "" }),
            ("atlas.sum:1", { $0["atlas.sum"] = "h1:\n" }),
            ("atlas.sum:1", { $0["atlas.sum"] = "" }), ("atlas.sum:4", { $0["atlas.sum"]? += "<<<<<<< HEAD\n" }),
            ("1_a.sql", { $0["atlas.sum"] = nil }),
        ]
        for (name, change) in cases {
            let error = try #require(try LayoutFolder.error(folder(change), .atlas), "\(name)")
            #expect(error.code == .migrationMalformed)
            #expect(error.message.contains(name), "\(name): \(error.message)")
            #expect(error.hint?.contains("atlas migrate hash") == true)
        }
    }

    @Test("Atlas's directives count, and those that cannot be followed are refused") func directives() throws {
        let script = "-- atlas:checkpoint\n\nCREATE TABLE a (x);\nCREATE TABLE b (x);\n"
        let files = Self.files + [("3_checkpoint.sql", script), ("4_d.sql", "SELECT 1;")]
        var folder = Dictionary(uniqueKeysWithValues: files)
        folder["atlas.sum"] = try Self.sum(files)
        let set = try LayoutFolder(folder).set()
        #expect(set.baselines.map(\.version.description) == ["3"])
        let steps = try Migrator(set).run(on: Connection.inMemory()).steps
        #expect(steps.map(\.version.description) == ["3", "4"])
        let delimiter = [("1_a.sql", "-- atlas:delimiter \\n\\n\n\nSELECT 1\n\nSELECT 2")]
        folder = Dictionary(uniqueKeysWithValues: delimiter)
        folder["atlas.sum"] = try Self.sum(delimiter)
        let error = try #require(try LayoutFolder.error(folder))
        #expect(error.message.contains("1_a.sql:1"))
    }

    @Test("A file that Atlas leaves out of the list still counts for those after it")
    func left() throws {
        let text = "-- atlas:sum ignore\n\nSELECT 1;"
        var folder = ["1_a.sql": text, "2_b.sql": "SELECT 2;"]
        // The name of the first file alone precedes the second in the digest.
        let digest = try HashFunction.sha256.digest(Array("1_a.sql2_b.sqlSELECT 2;".utf8).span)
        let line = "2_b.sql h1:\(Base64.encode(digest))="
        let whole = try HashFunction.sha256.digest(Array("2_b.sql\(Base64.encode(digest))=".utf8).span)
        folder["atlas.sum"] = "h1:\(Base64.encode(whole))=\n\(line)\n"
        #expect(try LayoutFolder.error(folder) == nil)
    }
}
