import Foundation
import Lockstep
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// The published movies catalogue, and what the holder of the database keyring alone can find.
struct CatalogueTests {
    private let folder: TemporaryFolder
    private static let films = Programs.package.appending("Sources/Demo/films.tsv")

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("k", [UInt8](repeating: 7, count: 32))
    }

    private static let migrations = Programs.package.appending("Migrations/movies").string

    /// Titles, categories and addresses that are long enough not to be found by chance.
    private static func values() throws -> [[UInt8]] {
        let text = String(decoding: try Bytes.read(films), as: UTF8.self)
        let fields = text.split(whereSeparator: \.isNewline).flatMap { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).enumerated().filter {
                $0.offset != 2
            }.map { Array($0.element.utf8) }
        }
        return Array(Set(fields.filter { $0.count >= 6 })).sorted { $0.count > $1.count }
    }

    private func tool(_ arguments: String...) async throws -> String {
        let result = try await Subprocess.run(
            .path(Programs.path("lockstep")), arguments: Arguments(arguments + ["-d", "c.db", "--key-file", "k"]),
            workingDirectory: folder.path, output: .string(limit: 10_000_000), error: .string(limit: 100_000))
        #expect(result.terminationStatus == .exited(0), "\(arguments): \(result.standardError)")
        return result.standardOutput
    }

    private func publish() async throws {
        _ = try await tool("init", "--dataset", "movies")
        _ = try await tool("migrate", "-m", Self.migrations, "--to", "2")
        _ = try await tool("import", "movies", Self.films.string)
        _ = try await tool("migrate", "-m", Self.migrations, "--fields", "movies")
    }

    private func key() throws -> DatabaseKey {
        let keyring = try KeyringFile(folder.file("c.db.keys/database.keyring")).open { _ in
            try KeyFile.read(folder.file("k"))
        }
        return try keyring.databaseKey(for: folder.file("c.db"))
    }

    @Test(
        "it verifies with every cell, is read with its keyring, and goes back to its original form")
    func published() async throws {
        try await publish()
        let report = try await tool("verify", "-m", Self.migrations, "--fields", "movies")
        #expect(report.contains("cells of 4 columns opened"), "\(report)")
        let sql = "SELECT title, category, year FROM %@ WHERE title LIKE '%''%' ORDER BY movieID"
        let opened = try await tool("query", sql.replacing("%@", with: "movies_open"), "--fields", "movies")
        #expect(opened.contains("Breakfast at Tiffany's"), "\(opened)")
        let deep = try await tool("verify", "-m", Self.migrations, "--fields", "movies", "--deep")
        #expect(deep.contains("round-trip    ok"), "\(deep)")
        _ = try await tool(
            "rollback", "-m", Self.migrations, "--fields", "movies")
        #expect(try await tool("query", sql.replacing("%@", with: "movies")) == opened)
    }

    @Test(
        "with the database key, no page, free or not, no log and no index shows a title, category or address"
    )
    func pages() async throws {
        try await publish()
        let values = try Self.values()
        #expect(values.count > 50)
        var pages = try DecryptedPages(folder.file("c.db"), key())
        for value in values {
            #expect(!pages.contain(value), "\(String(decoding: value, as: UTF8.self))")
        }
        // The control: unsealed, all of them are there.
        _ = try await tool(
            "rollback", "-m", Self.migrations, "--fields", "movies")
        pages = try DecryptedPages(folder.file("c.db"), key())
        let missing = values.filter { !pages.contain($0) }
        #expect(missing.count < values.count / 10, "\(missing.map { String(decoding: $0, as: UTF8.self) })")
    }

    @Test(
        "a query without the fields keyring has none of them in memory, and no other file open",
        .enabled(if: ProcessMemory.isReadable, "the memory of other processes is not to be read"))
    func memory() async throws {
        try await publish()
        // Shorter ones, such as Western and Action, also occur in the program's libraries.
        let values = try Self.values().filter { $0.count >= 9 }
        let from = " FROM movies AS a, movies AS b, movies AS c ORDER BY b.movieID"
        let sealed = try await found(values, in: ["query", "SELECT a.*\(from)", "--format", "json"])
        #expect(sealed == [])
        // The control: with the keyring they are there, and are found.
        let opened = try await found(
            values,
            in: [
                "query", "SELECT a.*" + from.replacing("movies AS a", with: "movies_open AS a"),
                "--format", "json", "--fields", "movies",
            ])
        #expect(opened.count > 10)
    }

    /// The values found in the memory of the tool, once it has written so much that it waits for a
    /// reader.
    private func found(_ values: [[UInt8]], in arguments: [String]) async throws -> [String] {
        let process = Process()
        process.executableURL = URL(filePath: Programs.path("lockstep").string)
        process.arguments = arguments + ["-d", "c.db", "--key-file", "k"]
        process.currentDirectoryURL = URL(filePath: folder.path.string)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        defer {
            // It waits for a reader, and so would not notice SIGTERM.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        // Rows are arriving; it has many more than a pipe can hold, so it cannot be finished.
        var read = 0
        while read < 20_000 {
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty, "it ended early: \(arguments)")
            read += data.count
        }
        let memory = ProcessMemory(process.processIdentifier)
        let files = try memory.openFiles()
        #expect(
            files.allSatisfy { $0.hasPrefix(folder.path.string) && $0.contains("c.db") },
            "\(files)")
        let bytes = try memory.contents()
        return values.filter { value in
            bytes.contains { piece in piece.withUnsafeBytes { unsafe $0.holds(value) } }
        }.map { String(decoding: $0, as: UTF8.self) }
    }
}

/// The memory of another process of this user.
struct ProcessMemory {
    private let folder: String

    init(_ process: Int32) { folder = "/proc/\(process)" }

    static var isReadable: Bool {
        // The tool forbids access to its memory, except to root.
        geteuid() == 0 && FileManager.default.fileExists(atPath: "/proc/self/mem")
    }

    /// Its open regular files.
    func openFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd").compactMap { name in
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/fd/\(name)")
        }.filter { $0.hasPrefix("/") && !$0.hasPrefix("/dev/") }
    }

    /// Its writable memory regions.
    func contents() throws -> [Data] {
        let maps = try String(contentsOfFile: "\(folder)/maps", encoding: .utf8)
        let memory = try FileDescriptor.open(FilePath("\(folder)/mem"), .readOnly)
        defer { try? memory.close() }
        var pieces: [Data] = []
        for line in maps.split(separator: "\n") {
            let words = line.split(separator: " ")
            let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard words[1].hasPrefix("rw"), ends.count == 2 else { continue }
            var position = ends[0]
            while position < ends[1] {
                let count = Int(min(ends[1] - position, 1 << 20))
                var data = Data(count: count)
                let read = data.withUnsafeMutableBytes { buffer in
                    (try? memory.read(
                        fromAbsoluteOffset: Int64(bitPattern: position), into: buffer)) ?? 0
                }
                guard read > 0 else { break }
                pieces.append(data.prefix(read))
                position += UInt64(read)
            }
        }
        return pieces
    }
}
