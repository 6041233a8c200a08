import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// What a change of the key refuses, each check by itself: most of what would set off one sets off another, too.
@Suite("Checks of a database under another key")
struct KeyChangeTests {
    private let scratch: DatabaseScratch
    private let somebodys = Array("something of somebody's".utf8)

    init() throws {
        scratch = try DatabaseScratch()
        try scratch.fill(rows: 200)
    }

    private func begin() throws -> KeyChange {
        try KeyChange.begin(scratch.path, key: scratch.key())
    }

    /// Puts another file in the place of the database.
    private func swap() throws {
        try FileManager.default.removeItem(atPath: scratch.path.string)
        try scratch.folder.write("data.db", somebodys)
    }

    /// Copies, and has `last` run when all pages are copied and nothing is checked yet.
    private func copy(
        _ change: borrowing KeyChange, _ last: () throws -> Void = {}
    ) throws -> RekeyedDatabase {
        try change.copy(from: scratch.key(), to: scratch.key(2)) { progress in
            if progress.done == progress.total { try last() }
        }
    }

    @Test("A page that holds something else than its copy ends it")
    func otherPage() throws {
        let forge = PageForge(scratch: scratch)
        let leaf = try #require(try forge.pages(ofKind: 13).last)
        let change = try begin()
        // It still verifies, and holds as many rows.
        Refusal.expect(.damaged) {
            _ = try copy(change) { try forge.change(leaf) { $0[PageForge.usable - 1] ^= 1 } }
        }
        #expect(!KeyChange.hasLeftover(of: scratch.path))
    }

    @Test("A file that takes the name meanwhile is not told to be damaged, and stays")
    func replacedMeanwhile() throws {
        let change = try begin()
        Refusal.expect(.replaced) { _ = try copy(change, swap) }
        #expect(try scratch.bytes == somebodys)
        #expect(!KeyChange.hasLeftover(of: scratch.path))
    }

    @Test("A file that takes the name after the copy was checked stays")
    func replacedAfterwards() throws {
        let change = try begin()
        let copy = try copy(change)
        try swap()
        Refusal.expect(.replaced) { try change.replace(with: copy) }
        #expect(try scratch.bytes == somebodys)
    }

    @Test("A file that nobody touches gets its key")
    func negativeControl() throws {
        let change = try begin()
        let copy = try copy(change)
        try change.replace(with: copy)
        _ = consume change
        let connection = try Connection.open(scratch.path, key: scratch.key(2))
        #expect(try scratch.count(connection) == 200)
    }
}
