import SystemPackage
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Files of migration folders")
struct MigrationFolderTests {
    private func link(_ target: FilePath, at path: FilePath) {
        let result = path.withPlatformString { path in
            target.withPlatformString { target in symlink(target, path) }
        }
        #expect(result == 0)
    }

    @Test(
        "A byte-order mark and CRLF endings change nothing, in every layout without checksums",
        arguments: LayoutCase.all.filter { $0.layout != .atlas })
    func windows(layout: LayoutCase) throws {
        let folder = try LayoutFolder()
        for (name, text) in layout.files {
            try folder.write(name, [0xEF, 0xBB, 0xBF] + Array(text.replacing("\n", with: "\r\n").utf8))
        }
        // sqlx only checks the very first bytes, and those files contain no other mark.
        let isMarked = layout.files.values.contains { $0.hasPrefix("-- no-transaction") }
        let set = try folder.set(layout.layout)
        let plain = try LayoutFolder(layout.files).set(layout.layout)
        #expect(set.files.map(\.version) == plain.files.map(\.version))
        #expect(set.files.map(\.checksums.text) == plain.files.map(\.checksums.text))
        #expect(set.files.map(\.checksums.tokens) == plain.files.map(\.checksums.tokens))
        #expect(isMarked || set.files.map(\.runsInTransaction) == plain.files.map(\.runsInTransaction))
        let connection = try Connection.inMemory()
        _ = try Migrator(set).run(on: connection)
        let findings = try Migrator(plain).plan(.latest, on: connection).findings
        #expect(findings.allSatisfy { !$0.isFatal })
    }

    @Test("Invalid UTF-8 and a NUL byte are reported with file and line, wherever they are") func bytes() throws {
        for (name, layout) in [
            ("1_a.up.sql", MigrationLayout.golangMigrate), ("1_a.sql", .sqlx),
            ("1_a.sql", .dbmate), ("1_a.sql", .goose), ("x/V1__a.sql", .flyway),
            ("x/V1__a.sql", .refinery), ("1_a/up.sql", .diesel),
        ] {
            let folder = try LayoutFolder()
            try folder.write(name, Array("SELECT 1;\nSELECT '".utf8) + [0xFF])
            #expect {
                _ = try folder.set(layout)
            } throws: { error in "\(error)".contains("\(name):2: the file is not valid UTF-8") }
            try folder.write(name, Array("SELECT 1;".utf8) + [0])
            #expect {
                _ = try folder.set(layout)
            } throws: { error in "\(error)".contains("\(name) contains a NUL byte") }
        }
        let down = try LayoutFolder(["1_a.up.sql": ""])
        try down.write("1_a.down.sql", [0xFF])
        Refusal.expect(.migrationMalformed) { _ = try down.set() }
    }

    @Test("Hidden files and editor leftovers are not migrations; names can use any letters") func names() throws {
        let folder = try LayoutFolder([
            "1_größer als nichts.up.sql": "", ".2_hidden.up.sql": "nonsense", "3_x.up.sql~": "",
            "#4_x.up.sql#": "", ".5_x.up.sql.swp": "", "6_x.up.sql.orig": "",
            ".git/V1__x.sql": "",
        ])
        Refusal.expect(.migrationMalformed) { _ = try folder.set() }
        let left = try LayoutFolder([
            "1_größer als nichts.up.sql": "", ".2_hidden.up.sql": "nonsense", "1_größer als nichts.up.sql~": "",
            "#4_x.up.sql#": "", ".5_x.up.sql.swp": "", "1_x.up.sql.orig": "", ".git/V1__x.sql": "",
        ])
        let set = try left.set()
        #expect(set.layout == .golangMigrate)
        #expect(set.files.map(\.name) == ["größer als nichts"])
        #expect(set.ignoredFiles.isEmpty)
    }

    @Test("SQL that is not a migration in the layout is ignored, and reported")
    func ignoredFiles() throws {
        let set = try LayoutFolder(["1_a.up.sql": "", "schema.sql": "", "x/seed.sql": ""]).set()
        #expect(set.ignoredFiles == ["schema.sql"])
        #expect(try LayoutFolder(["V1__a.sql": "", "x/seed.sql": ""]).set().ignoredFiles == ["x/seed.sql"])
    }

    @Test("Links to a file or folder, dangling links and circular links are refused")
    func links() throws {
        let folder = try LayoutFolder(["1_a.up.sql": ""])
        link(folder.path.appending("1_a.up.sql"), at: folder.path.appending("2_b.up.sql"))
        Refusal.expect(.notAFile) { _ = try folder.set() }
        let tree = try LayoutFolder(["V1__a.sql": ""])
        link(tree.path, at: tree.path.appending("again"))
        Refusal.expect(.migrationMalformed) { _ = try tree.set() }
        // A layout that reads no folders ignores it.
        let flat = try LayoutFolder(["1_a.sql": "-- lockstep: up\n"])
        link(flat.path, at: flat.path.appending("again"))
        #expect(try flat.set().files.count == 1)
        let version = try LayoutFolder(["1_a/up.sql": ""])
        link(version.path.appending("1_a"), at: version.path.appending("2_b"))
        Refusal.expect(.migrationMalformed) { _ = try version.set() }
    }

    @Test("A link to a file is read if links are allowed, and only within one mount")
    func linkedFiles() throws {
        let folder = try LayoutFolder(["V1__a.sql": "SELECT 1;"])
        let other = try LayoutFolder(["b.sql": "SELECT 2;"])
        link(other.path.appending("b.sql"), at: folder.path.appending("V2__b.sql"))
        let error = #expect(throws: LockstepError.self) { try folder.set() }
        #expect(error?.code == .notAFile && error?.hint?.contains("followingLinks") == true)
        let set = try MigrationSet(folder: folder.path, followingLinks: true)
        #expect(set.files.map(\.fileName) == ["V1__a.sql", "V2__b.sql"])
        #expect(try MigrationSet.sets(in: folder.path, followingLinks: true).count == 1)
        #if os(Linux)
        link("/proc/self/comm", at: folder.path.appending("V3__c.sql"))
        Refusal.expect(.notAFile) { _ = try MigrationSet(folder: folder.path, followingLinks: true) }
        #endif
    }

    @Test("Endlessly nested folders are refused")
    func deep() throws {
        let path = Array(repeating: "x", count: 17).joined(separator: "/")
        let folder = try LayoutFolder(["V1__a.sql": "", "\(path)/V2__b.sql": ""])
        Refusal.expect(.migrationMalformed) { _ = try folder.set() }
        let enough = Array(repeating: "x", count: 16).joined(separator: "/")
        let good = try LayoutFolder(["V1__a.sql": "", "\(enough)/V2__b.sql": ""])
        #expect(try good.set().files.count == 2)
    }

    @Test(
        "A file of more than 8 MiB is refused, unless another limit is given",
        arguments: ["V2__b.sql", "R__seed.sql"])
    func huge(_ name: String) throws {
        let folder = try LayoutFolder()
        let large = [UInt8](repeating: 0x20, count: MigrationSet.defaultLargestFile + 1)
        try folder.write("V1__a.sql", [])
        try folder.write(name, large)
        let error = #expect(throws: LockstepError.self) { try folder.set(.flyway) }
        #expect(error?.code == .tooLarge)
        for part in ["set/\(name)", "8388609 bytes", "8388608"] {
            #expect(error?.message.contains(part) == true, "\(part)")
        }
        #expect(error?.hint?.contains("largestFile") == true)
        _ = try MigrationSet(folder: folder.path, layout: .flyway, largestFile: large.count)
        // The limit applies to a single file.
        let small = try LayoutFolder(["V1__a.sql": "SELECT 1;", "V2__b.sql": "SELECT 2;"])
        #expect(try MigrationSet(folder: small.path, largestFile: 9).files.count == 2)
        Refusal.expect(.tooLarge) { _ = try MigrationSet(folder: small.path, largestFile: 8) }
        Refusal.expect(.tooLarge) {
            _ = try MigrationSet.sets(in: small.temporary.path, largestFile: 8)
        }
    }

    /// Anything that can be in the place of a migration file.
    enum Oddity: String, CaseIterable {
        case pipe = "a named pipe"
        case socket = "a socket"
        case folder = "a folder"
        case danglingLink = "a symbolic link without a target file"

        func make(at path: FilePath) throws {
            switch self {
            case .pipe:
                let result = path.withPlatformString { mkfifo($0, 0o600) }
                try #require(result == 0)
            case .socket: try SocketFile.make(at: path)
            case .folder: try AtomicFile.createFolder(path)
            case .danglingLink:
                let result = path.withPlatformString { symlink("nowhere", $0) }
                try #require(result == 0)
            }
        }
    }

    @Test(
        "An object with a migration's name that is not a file is named, and nothing blocks on it",
        arguments: Oddity.allCases)
    func odd(_ oddity: Oddity) throws {
        for (place, files) in [
            ("0002_b.sql", ["0001_a.sql": "-- lockstep: up\n"]), ("0002_B.SQL", [:]), ("V2__b.sql", ["V1__a.sql": ""]),
            ("sub/V2__b.sql", ["V1__a.sql": "", "sub/V3__c.sql": ""]),
            ("2_b/up.sql", ["1_a/up.sql": "", "2_b/down.sql": ""]), ("2_b/up.sql", ["2_b/README": ""]),
        ] as [(String, [String: String])] {
            let folder = try LayoutFolder(files)
            let path = folder.path.appending(place)
            try oddity.make(at: path)
            for read in [
                { _ = try folder.set() }, { _ = try MigrationSet.sets(in: folder.path) },
                { _ = try MigrationSet.sets(in: folder.temporary.path) },
            ] {
                let error = #expect(throws: LockstepError.self) { try read() }
                #expect(error?.code == .migrationMalformed)
                #expect(
                    error?.message.contains("\(place) has the name of a migration but is \(oddity.rawValue)") == true)
            }
        }
    }

    @Test("An object without a migration's name can be anything", arguments: Oddity.allCases)
    func harmless(_ oddity: Oddity) throws {
        let folder = try LayoutFolder(["0001_a.sql": "-- lockstep: up\n"])
        for name in ["notes", "0002_b.sql.bak", ".0002_b.sql"] {
            try oddity.make(at: folder.path.appending(name))
        }
        #expect(try folder.set().files.count == 1)
    }

    @Test("A device with a migration's name is named, too")
    func device() throws {
        let folder = try LayoutFolder(["0001_a.sql": "-- lockstep: up\n"])
        link("/dev/null", at: folder.path.appending("0002_b.sql"))
        Refusal.expect(.migrationMalformed) { _ = try folder.set() }
    }

    @Test("A thousand versions are read in one pass")
    func many() throws {
        let folder = try LayoutFolder()
        for number in 1...1000 {
            try folder.write("V\(number)__x.sql", Array("SELECT \(number);".utf8))
        }
        #expect(try folder.set().files.map(\.version) == (1...1000).map { MigrationVersion($0) })
    }
}
