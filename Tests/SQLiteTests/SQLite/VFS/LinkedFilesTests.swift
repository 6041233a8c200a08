import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Links in the folder of a database, made by somebody who can write to it.
@Suite("Linked files")
struct LinkedFilesTests {
    private let scratch: DatabaseScratch

    init() throws {
        scratch = try DatabaseScratch()
        try scratch.create().run(script: "CREATE TABLE t (a); INSERT INTO t VALUES ('mine')")
    }

    private func link(_ target: FilePath, _ name: FilePath) throws {
        try FileManager.default.linkItem(atPath: target.string, toPath: name.string)
    }

    private var victim: FilePath { scratch.path.removingLastComponent().appending("victim") }

    @Test(
        "A side file that is another file's name, or a link to it, is refused, and the other file keeps its bytes",
        arguments: ["-wal", "-shm", "-journal"], [false, true])
    func sideFiles(_ suffix: String, isSymbolic: Bool) throws {
        let content = Array("somebody's own words\n".utf8)
        try Bytes.write(content, to: victim)
        let side = FilePath(scratch.path.string + suffix)
        if isSymbolic {
            try FileManager.default.createSymbolicLink(atPath: side.string, withDestinationPath: victim.string)
        } else {
            try link(victim, side)
        }
        let error = Refusal.error(.notAFile) { _ = try scratch.open() }
        #expect(error?.message.contains("\(side)") == true && error?.hint != nil)
        #expect(try Bytes.read(victim) == content)
        try FileManager.default.removeItem(atPath: side.string)
        #expect(try scratch.open().value("SELECT a FROM t", as: String.self) == "mine")
    }

    @Test("A database with two names is refused under both, unless a kill has left the first of them")
    func twoNames() throws {
        let other = scratch.path.removingLastComponent().appending("other.db")
        try link(scratch.path, other)
        for path in [scratch.path, other] {
            let error = Refusal.error(.notAFile) { _ = try Connection.open(path, key: scratch.key()) }
            #expect(error?.message.contains("has 2 names") == true && error?.hint?.contains("-samefile") == true)
        }
        try FileManager.default.removeItem(atPath: other.string)
        // A finished file gets its name before it loses its first one.
        try link(scratch.path, AtomicFile.uniqueSibling(of: scratch.path))
        #expect(try scratch.open().value("SELECT a FROM t", as: String.self) == "mine")
    }

    @Test("A symbolic link in place of a database is refused")
    func symbolic() throws {
        let place = scratch.path.removingLastComponent().appending("place.db")
        try FileManager.default.createSymbolicLink(atPath: place.string, withDestinationPath: scratch.path.string)
        Refusal.expect(.notAFile) { _ = try Connection.open(place, key: scratch.key()) }
    }

    @Test("A log that becomes a link between the opening and the first write is not written")
    func later() throws {
        try Bytes.write([1, 2, 3], to: victim)
        let connection = try scratch.open()
        // No statement has run that needs the log.
        let side = FilePath(scratch.path.string + "-wal")
        try? FileManager.default.removeItem(atPath: side.string)
        try link(victim, side)
        _ = try? connection.execute("INSERT INTO t VALUES ('more')")
        #expect(try Bytes.read(victim) == [1, 2, 3])
    }
}
