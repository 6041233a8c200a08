import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Pages, cells, tokens, rows of the registry and whole files of related databases, put into the database that they
/// are related to, and into each other. The outcomes are those of SECURITY.md's table.
@Suite("What is put from one of two related files into the other")
struct RelatedFilesTests {
    enum Part: String, CaseIterable, Sendable {
        case page = "a page"
        case cell = "a cell, with its token"
        case token = "a token"
        case registry = "the rows of the registry"
        case file = "the whole file"
    }

    private static let cases = RelatedFiles.Relation.allCases.flatMap { relation in
        Part.allCases.map { (relation, $0) }
    }

    /// Puts a part of one file into another one.
    private func put(_ part: Part, of source: FilePath, into target: FilePath, _ files: RelatedFiles) throws {
        switch part {
        case .page:
            var page = 0
            try files.tamper(source) { connection in
                page = try connection.value("SELECT rootpage FROM sqlite_schema WHERE name = 'film'") ?? 0
            }
            var bytes = try Bytes.read(target)
            let place = (page - 1) * 4096..<page * 4096
            bytes.replaceSubrange(place, with: try Bytes.read(source)[place])
            try Bytes.write(bytes, to: target)
        case .cell, .token:
            let columns = part == .cell ? ["id", "title", "title_exact_token"] : ["id", "title_exact_token"]
            var rows: [[Value]] = []
            try files.tamper(source) { connection in rows = try TableRows("film", connection, columns).rows }
            try files.tamper(target) { connection in
                for row in rows {
                    let sets = zip(columns, row).dropFirst().map { "\($0.0) = ?" }.joined(separator: ", ")
                    let update = try connection.prepare(SQL(verbatim: "UPDATE film SET \(sets) WHERE id = ?"))
                    try update.bind(values: Array(row.dropFirst()) + [row[0]])
                    try update.forEach { _ in }
                }
            }
        case .registry:
            var rows = RegistryRows()
            try files.tamper(source) { connection in rows = try RegistryRows(connection) }
            try files.tamper(target) { connection in try rows.write(connection) }
        case .file: try Bytes.write(Bytes.read(source), to: target)
        }
    }

    /// What the document says.
    private static func stated(_ relation: RelatedFiles.Relation, _ part: Part) throws -> String {
        let text = try String(decoding: Bytes.read(Programs.package.appending("SECURITY.md")), as: UTF8.self)
        let row = text.split(separator: "\n").first { $0.hasPrefix("| \(relation.rawValue) |") }
        let cells = try #require(row, "SECURITY.md has no line of \(relation.rawValue)").split(separator: "|")
            .map { $0.trimmingCharacters(in: .whitespaces) }
        return try cells[1 + #require(Part.allCases.firstIndex(of: part))]
    }

    @Test("Nothing is wrong with the files as they are")
    func untouched() throws {
        let files = try RelatedFiles()
        for path in [
            files.folder.file(RelatedFiles.original), files.path(.sibling), files.path(.stranger), files.path(.fork),
        ] {
            var findings: [String] = []
            #expect(try files.outcome(path, { findings = $0 }) == .unnoticed)
            #expect(findings == [], "\(path)")
        }
    }

    @Test("Put into the original", arguments: cases)
    func into(_ relation: RelatedFiles.Relation, _ part: Part) throws {
        let files = try RelatedFiles()
        let original = files.folder.file(RelatedFiles.original)
        try put(part, of: files.path(relation), into: original, files)
        var findings: [String] = []
        let outcome = try files.outcome(original) { findings = $0 }
        #expect(
            try Self.stated(relation, part).split(separator: ",").first.map(String.init) == outcome.rawValue,
            "\(findings)")
    }

    struct Pair: Sendable, CustomStringConvertible {
        /// Nil for the original.
        let source: RelatedFiles.Relation?
        let target: RelatedFiles.Relation
        let part: Part

        var description: String { "\(part.rawValue) of \(source?.rawValue ?? "the original") in \(target)" }

        /// What the two are to each other.
        var relation: RelatedFiles.Relation {
            let both = [source, target]
            return both.contains(.stranger) ? .stranger : both.contains(.sibling) ? .sibling : .fork
        }
    }

    /// The databases of their own, each with everything else.
    private static let pairs = [RelatedFiles.Relation.sibling, .stranger, .fork].flatMap { target in
        ([nil] + RelatedFiles.Relation.allCases).filter { $0 != target }.flatMap { source in
            Part.allCases.map { Pair(source: source, target: target, part: $0) }
        }
    }

    @Test("Put into a database of its own, from the original and from what is related to that", arguments: pairs)
    func others(_ pair: Pair) throws {
        let files = try RelatedFiles()
        let source = pair.source.map(files.path) ?? files.folder.file(RelatedFiles.original)
        try put(pair.part, of: source, into: files.path(pair.target), files)
        var findings: [String] = []
        let outcome = try files.outcome(files.path(pair.target)) { findings = $0 }
        #expect(
            try Self.stated(pair.relation, pair.part).split(separator: ",").first.map(String.init) == outcome.rawValue,
            "\(findings)")
    }
}
