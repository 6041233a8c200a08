import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Releases of a program that start on each other's databases, and are killed between any two steps.
@Suite("Openings by releases of a program")
struct OpeningReleaseTests {
    /// A database of a release; 0 for none.
    private func scratch(_ release: Int) throws -> OpeningScratch {
        let scratch = try OpeningScratch()
        if release > 0 { try scratch.fill(release) }
        return scratch
    }

    private func expected(_ from: Int) -> [String] { from == 0 ? [] : OpeningScratch.filled }

    @Test("Each release opens the databases of those before it", arguments: [0, 1, 2, 3])
    func forward(from: Int) throws {
        for release in max(from, 1)...3 {
            let scratch = try scratch(from)
            #expect(try scratch.rows(release) == expected(from), "\(from) by \(release)")
            #expect(try scratch.rows(release) == expected(from), "\(from) by \(release), again")
        }
    }

    @Test("A release refuses the database of a later one, and changes nothing", arguments: [1, 2])
    func backward(release: Int) throws {
        let scratch = try scratch(3)
        let before = try scratch.files()
        Refusal.expect(.migrationMissing) { _ = try scratch.open(release) }
        #expect(try scratch.files() == before)
        #expect(try scratch.rows(3) == OpeningScratch.filled)
    }

    @Test(
        "A program that is killed at any call is finished by its next start",
        .enabled(if: FaultyWorker.isAble, "not Linux"),
        arguments: [(0, 1), (0, 3), (1, 2), (1, 3), (2, 3)])
    func killed(from: Int, to: Int) async throws {
        let original = try scratch(from)
        let whole = try OpeningScratch(copying: original)
        let run = try await FaultyWorker.run("opens", "\(to)", in: whole.folder.path)
        #expect(run.outcome == .succeeded, "\(run.reported)")
        for call in run.chosen(4) {
            let copy = try OpeningScratch(copying: original)
            let killed = try await FaultyWorker.run("opens", "\(to)", in: copy.folder.path, at: call)
            #expect(killed.outcome == .killed)
            #expect(try copy.rows(to) == expected(from), "killed at call \(call)")
            #expect(try copy.keyring.summary().databases.count == 1, "killed at call \(call)")
            #expect(try copy.keyring.summary().databases.first?.isMade == true)
            let left = try Set(copy.files().keys).subtracting(whole.files().keys)
            #expect(left == [], "killed at call \(call)")
        }
    }

    @Test(
        "A disk that is full at any call loses nothing, and the next start goes on",
        .enabled(if: FaultyWorker.isAble, "not Linux"), arguments: [(0, 3), (1, 3)])
    func full(from: Int, to: Int) async throws {
        let original = try scratch(from)
        let whole = try OpeningScratch(copying: original)
        let run = try await FaultyWorker.run("opens", "\(to)", in: whole.folder.path)
        for call in run.chosen(3) {
            let copy = try OpeningScratch(copying: original)
            _ = try await FaultyWorker.run("opens", "\(to)", in: copy.folder.path, "full", at: call)
            #expect(try copy.rows(to) == expected(from), "full at call \(call)")
        }
    }

    @Test(
        "A dataset that is new to a fields keyring of several databases is sealed after a kill, too"
    )
    func sharedFields() throws {
        let other = try OpeningScratch()
        try other.fill(2)
        let shared = try KeyringFile.fields(of: "films", beside: other.path)
        let scratch = try scratch(1)
        func open(firstTime: Bool = false) throws -> Store {
            try Store.openBlocking(
                scratch.path, key: scratch.key, migrations: scratch.set(2),
                sealed: Dataset("films", key: other.key, keyring: shared), firstTime: firstTime)
        }
        try open(firstTime: true).blocking.close()
        // As if the program had been killed before the fields keyring remembered what it sealed.
        let key = other.folder.file("my.key")
        var keyring = try shared.open { _ in try KeyFile.read(key) }
        let id = try #require(keyring.sealedMemory.records.last { $0.isSealed }).database
        let mine = try #require(
            try scratch.keyring.summary().databases.first
        ).identity
        #expect(keyring.sealedMemory.records.count == 2 && id.count == 16)
        try shared.update(&keyring) { try $0.remember(SealedRecord(unsealed: mine)) }
        try open().blocking.close()
        keyring = try shared.open { _ in try KeyFile.read(key) }
        #expect(keyring.sealedMemory.records.allSatisfy { $0.isSealed })
    }
}
