import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The refusals of a key change, each check by itself: most inputs that fail one check also fail another.
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

    /// Replaces the database with another file.
    private func swap() throws {
        try FileManager.default.removeItem(atPath: scratch.path.string)
        try scratch.folder.write("data.db", somebodys)
    }

    /// Copies, and runs `last` when all pages are copied but not yet checked.
    private func copy(
        _ change: borrowing KeyChange, _ last: () throws -> Void = {}
    ) throws -> RekeyedDatabase {
        try change.copy(from: scratch.key(), to: scratch.key(2)) { progress in
            if progress.done == progress.total { try last() }
        }
    }

    @Test("A page whose content differs from its copy ends the key change")
    func otherPage() throws {
        let forge = PageForge(scratch: scratch)
        let leaf = try #require(try forge.pages(ofKind: 13).last)
        let change = try begin()
        // It still verifies, and has the same number of rows.
        Refusal.expect(.damaged) {
            _ = try copy(change) { try forge.change(leaf) { $0[PageForge.usable - 1] ^= 1 } }
        }
        #expect(!KeyChange.hasLeftover(of: scratch.path))
    }

    @Test("A file that takes the name meanwhile is not reported as damaged, and stays")
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

    @Test("A file that does not change meanwhile gets its key")
    func negativeControl() throws {
        let change = try begin()
        let copy = try copy(change)
        try change.replace(with: copy)
        _ = consume change
        let connection = try Connection.open(scratch.path, key: scratch.key(2))
        #expect(try scratch.count(connection) == 200)
    }
}
