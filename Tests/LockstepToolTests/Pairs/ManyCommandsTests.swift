import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// Many commands of one kind at once: each is done, and none calls anything old or damaged.
@Suite("Many commands at once", .serialized, .timeLimit(.minutes(Torture.minutes(60)))) struct ManyCommandsTests {
    private let folder: TemporaryFolder
    private let shell: ToolShell
    private let keyring = "--keyring data.db.keys/database.keyring"

    init() throws {
        folder = try TemporaryFolder()
        shell = ToolShell(home: folder.path)
    }

    private func prepare(_ more: String = "") async throws {
        let made = try await shell.run(
            CommandScenario.basics + "lockstep init --key-file k --dataset goods\n"
                + "lockstep migrate --key-file k -m shop\n" + more, in: folder.path)
        try #require(made.status == .exited(0), "\(made.errors)")
    }

    /// Runs them all at once, and expects that each is done.
    private func expectDone(
        _ lines: [String], _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let (shell, path) = (shell, folder.path)
        let ends = try await withThrowingTaskGroup(of: ToolShell.Result.self) { group in
            for line in lines {
                group.addTask { try await shell.run("exec lockstep \(line)", in: path) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let failed = ends.filter { $0.status != .exited(0) }
        #expect(
            failed.isEmpty,
            "\(failed.count) of \(lines.count): \(failed.first?.text ?? "")\(failed.first?.errors ?? "")",
            sourceLocation: location)
    }

    private func open(_ name: String, _ key: String = "k") throws -> Keyring {
        try KeyringFile(folder.file("\(name).keyring")).open { _ in
            try KeyFile.read(folder.file(key))
        }
    }

    @Test("48 init in one keyring folder")
    func init48() async throws {
        _ = try await shell.run("lockstep keys create-key-file k", in: folder.path)
        try await expectDone((1...48).map { "init -d \($0).db --keys Keys --key-file k --wait 120" })
        for number in 1...48 {
            let keyring = try open("Keys/\(number).database")
            let path = folder.file("\(number).db")
            _ = try Connection.open(path, key: keyring.databaseKey(for: path))
            #expect(keyring.document.files.count == 1)
        }
    }

    @Test("Several init of one database: one makes it, and the others leave it alone") func sameInit() async throws {
        _ = try await shell.run("lockstep keys create-key-file k", in: folder.path)
        let (shell, path) = (shell, folder.path)
        for round in 1...6 {
            let line = "exec lockstep init -d \(round).db --key-file k"
            async let first = shell.run(line, in: path)
            async let second = shell.run(line, in: path)
            async let third = shell.run(line, in: path)
            let ends = try await [first, second, third]
            #expect(ends.count { $0.status == .exited(0) } == 1, "\(ends.map(\.errors))")
            #expect(ends.count { $0.status == .exited(1) } == 2, "\(ends.map(\.errors))")
            let database = folder.file("\(round).db")
            let keyring = try open("\(round).db.keys/database")
            _ = try Connection.open(database, key: keyring.databaseKey(for: database))
        }
    }

    @Test("48 keys create-key in one keyring")
    func createKey48() async throws {
        try await prepare()
        let line = "keys create-key field --dataset goods --key-file k --wait 120"
        try await expectDone(Array(repeating: line, count: 48))
        let versions = try open("data.db.keys/goods.fields").document.keys.filter {
            $0.kind == .field
        }
        #expect(Set(versions.map(\.version)) == Set(1...49))
    }

    @Test("30 times two add-slot at once")
    func addSlot30() async throws {
        try await prepare("for i in 1 2; do lockstep keys create-key-file new$i; done\n")
        // Both, because the database has seen each change.
        let files = ["data.db.keys/database.keyring", "data.db"]
        let base = try files.map { try Bytes.read(folder.file($0)) }
        for round in 0..<30 {
            for (file, bytes) in zip(files, base) { try Bytes.write(bytes, to: folder.file(file)) }
            for side in ["data.db-wal", "data.db-shm"]
            where FileManager.default.fileExists(atPath: folder.file(side).string) {
                try FileManager.default.removeItem(atPath: folder.file(side).string)
            }
            let second = round == 0 ? "-d data.db" : keyring
            try await expectDone([
                "keys add-slot one \(keyring) --key-file k --new-key-file new1",
                "keys add-slot two \(second) --key-file k --new-key-file new2",
            ])
            for key in ["k", "new1", "new2"] { _ = try open("data.db.keys/database", key) }
            if round == 0 { try await expectDone(["verify -m shop --key-file k"]) }
        }
    }

    @Test("verify beside changes of its keyrings: no alarm")
    func verify() async throws {
        guard let part = Campaign("ManyCommandsTests").begin() else { return }
        defer { part.end() }
        try await prepare("lockstep seal item.price --fields goods --key-file k\nlockstep keys create-key-file l\n")
        let changes = [
            "keys add-slot more \(keyring) --key-file k --new-key-file l",
            "keys create-key index --dataset goods --key-file k", "keys remove-slot more -d data.db --key-file k",
            "keys create-key field --dataset goods --key-file k",
        ]
        for round in 0..<(Torture.isLong ? 200 : 8) where part.goesOn() {
            try await expectDone(["verify -m shop --fields goods --key-file k", changes[round % changes.count]])
            part.count("changes beside verify")
        }
    }
}
