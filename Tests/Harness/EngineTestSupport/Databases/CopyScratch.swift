import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// Two folders for one test: one with a database from another program, and one in which a Lockstep database is made
/// from it.
struct CopyScratch {
    let old: DatabaseScratch
    let new: DatabaseScratch

    init() throws {
        old = try DatabaseScratch("old.db")
        new = try DatabaseScratch("new.db")
    }

    /// Makes the plaintext original from SQL and closes it.
    func makePlaintext(_ statements: String...) throws {
        let database = try RawDatabase(old.path, key: nil)
        for statement in statements { try database.run(statement) }
    }

    /// Adopts the plaintext original.
    @discardableResult
    func adopt(
        _ options: ConnectionOptions = .init(), progress: JobProgress.Handler = { _ in }
    ) throws -> AdoptionReport {
        try Adoption(of: old.path, into: new.path, options: options).run(
            key: new.key(), progress: progress)
    }

    /// Adopts the original, expects that it is unchanged and that the new database verifies, and that both give the
    /// same answer to each of `queries`, of which the first column is compared.
    @discardableResult
    func adoptWhole(
        _ queries: [String] = [], options: ConnectionOptions = .init(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> AdoptionReport {
        let before = try Self.content(of: old)
        let report = try adopt(options)
        #expect(try Self.content(of: old) == before, sourceLocation: sourceLocation)
        try expectSound(report.copy, options, sourceLocation: sourceLocation)
        try expectSame(queries, sourceLocation: sourceLocation)
        return report
    }

    /// Expects a new database that is the only file, carries Lockstep's mark and verifies.
    func expectSound(
        _ report: CopyReport, _ options: ConnectionOptions = .init(), sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try new.names == ["new.db"], sourceLocation: sourceLocation)
        #expect(try DatabaseScratch.mode(of: new.path) == 0o600, sourceLocation: sourceLocation)
        let audit = try PageAudit(new.path).run(key: new.key())
        #expect(audit.isClean && audit.pages == report.pages, sourceLocation: sourceLocation)
        let connection = try new.open(options)
        #expect(
            try connection.headerField("application_id") == Connection.applicationID, sourceLocation: sourceLocation)
        try IntegrityPragma.require(connection)
    }

    /// Expects the same answers from the original and the new database, read without the engine.
    func expectSame(
        _ queries: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        guard !queries.isEmpty else { return }
        // A copy, because reading the original can leave side files beside it.
        let copy = try DatabaseScratch("old.db")
        for name in try old.names where !name.hasSuffix("-shm") {
            try copy.folder.write(name, Bytes.read(old.folder.file(name)))
        }
        let first = try RawDatabase(copy.path, key: nil)
        let second = try RawDatabase(new.path, key: RawDatabase.keyspec)
        for query in queries {
            let rows = try first.run(query)
            #expect(!rows.isEmpty, "\(query)", sourceLocation: sourceLocation)
            #expect(try second.run(query) == rows, "\(query)", sourceLocation: sourceLocation)
        }
    }

    /// Expects a refusal that leaves the original unchanged and no new file.
    @discardableResult
    func expectRefusal(
        _ code: LockstepError.Code, options: ConnectionOptions = .init(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> LockstepError? {
        let before = try (Self.content(of: old), new.names)
        var refusal: LockstepError?
        Refusal.expect(code, sourceLocation: sourceLocation) {
            do {
                try adopt(options)
            } catch let error as LockstepError {
                refusal = error
                throw error
            }
        }
        #expect(try Self.content(of: old) == before.0, sourceLocation: sourceLocation)
        #expect(try new.names == before.1, sourceLocation: sourceLocation)
        return refusal
    }

    /// Every file of a folder, by name. The content of `-shm` belongs to its readers.
    static func content(of scratch: DatabaseScratch) throws -> [String: [UInt8]] {
        var content: [String: [UInt8]] = [:]
        for name in try scratch.names {
            content[name] =
                name.hasSuffix("-shm") ? [] : try Bytes.read(scratch.folder.file(name))
        }
        return content
    }
}
