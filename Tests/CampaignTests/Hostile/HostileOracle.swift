import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Examines the result of a run from outside: the pages as the operator reads them, every value of every table, and the
/// values that the program reads back.
struct HostileOracle {
    let template: HostileTemplate
    let keys: FieldKeys

    // MARK: Pages

    /// Bytes that must not occur anywhere in the file and its log.
    private func needles(_ capability: [UInt8]?) throws -> [(what: String, bytes: [UInt8])] {
        var needles = Self.spellings.map { ("plaintext", $0) }
        needles += template.guessed.map { ("a token or cell of a guess", $0) }
        if let capability {
            needles += Self.spellings(of: capability).map { ("the capability", $0) }
        }
        return needles
    }

    /// The marker of all sealed values, in every encoding that SQL can produce.
    private static let spellings: [[UInt8]] = {
        var texts: [String] = []
        for text in [HostileTemplate.magic] {
            texts += [text, text.lowercased(), text.uppercased()]
        }
        // A part of it is enough where no other text is similar.
        var found: [[UInt8]] = []
        for text in texts {
            let bytes = Array(text.utf8)
            found.append(Array(bytes.prefix(6)))
            found.append(Array(bytes.reversed().prefix(6)))
            found.append(Array(bytes.prefix(6).flatMap { [$0, 0] }))
            found.append(Array(bytes.prefix(6).flatMap { [0, $0] }))
            found += hexadecimal(Array(bytes.prefix(6)))
            found += hexadecimal(Array(bytes.reversed().prefix(6)))
        }
        return found + base64(Array(HostileTemplate.magic.utf8))
    }()

    private static func spellings(of bytes: [UInt8]) -> [[UInt8]] {
        [bytes, bytes.reversed()] + hexadecimal(bytes) + base64(bytes)
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> [[UInt8]] {
        let digits = Hex.encode(bytes)
        return [Array(digits.utf8), Array(digits.uppercased().utf8)]
    }

    /// At every alignment of the bytes in the encoding; without the digits at the ends, which other values share.
    private static func base64(_ bytes: [UInt8]) -> [[UInt8]] {
        (0..<3).map { offset in
            let padding = [UInt8](repeating: 0, count: offset)
            let digits = Array(Base64.encode(padding + bytes).utf8)
            let first = (offset * 8 + 5) / 6
            return Array(digits[first..<((offset + bytes.count) * 8 / 6)])
        }
    }

    /// The bytes that are readable in the file or its log.
    func leaks(in path: FilePath, _ capability: [UInt8]?) throws -> [String] {
        let pages = try DecryptedPages(path, HostileTemplate.databaseKey())
        return try needles(capability).filter { pages.contain($0.bytes) }.map {
            "\($0.what) stands in the file, as \(Hex.encode($0.bytes))"
        }
    }

    // MARK: Cells

    /// Cells with a plaintext that no program wrote, wherever they are stored.
    func forgeries(in path: FilePath, _ program: HostileProgram) throws -> [String] {
        let connection = try Connection.open(path, key: HostileTemplate.databaseKey())
        var found: [String] = []
        try connection.with(rights: .engine) {
            let names = try connection.query(
                "SELECT name FROM sqlite_schema WHERE lower(type) = 'table'"
            ) { try $0[0] as String }
            let bindings = try Self.bindings(connection)
            let columns = sealed(connection)
            for name in names {
                for value in Self.values(of: name, connection) {
                    guard let cell = Self.cell(value), !template.cells.contains(cell) else {
                        continue
                    }
                    for (title, text) in try opened(cell, columns, bindings) where !isAllowed(text, title, program) {
                        found.append("\(name) holds a cell of \(title) that no program wrote: \(text)")
                    }
                }
            }
        }
        return found
    }

    /// The columns that store values; reading computed ones would only fail.
    private static func values(of table: String, _ connection: borrowing Connection) -> [Value] {
        // A table that cannot be read shows no cells.
        guard
            let columns = try? connection.query(
                "SELECT name FROM pragma_table_xinfo(?, 'main') WHERE hidden IN (0, 3)", table,
                row: { try $0[0] as String })
        else { return [] }
        var values: [Value] = []
        for column in columns {
            let all = try? connection.query(
                "SELECT \(name: column) FROM main.\(name: table)", row: { try $0[0] as Value })
            values += all ?? []
        }
        return values
    }

    /// A cell, or its hexadecimal digits.
    private static func cell(_ value: Value) -> [UInt8]? {
        switch value {
        case .blob(let bytes) where CellPrefix(bytes.span) != nil: return bytes
        case .text(let text) where ["F9", "FA", "FC", "FD"].contains(text.prefix(2)):
            return Hex.decode(text.lowercased())
        default: return nil
        }
    }

    private static func bindings(_ connection: borrowing Connection) throws -> [CellBinding] {
        var bindings: [CellBinding] = [.column]
        bindings += (0..<20).map { .row($0) }
        for table in ["film", "log", "plain"] {
            let ids = try? connection.query(
                "SELECT rowid FROM main.\(name: table) WHERE rowid >= 20", row: { try $0[0] as Int64 })
            bindings += (ids ?? []).map { .row($0) }
        }
        let pairs = try? connection.query(
            "SELECT b, a FROM main.pair", row: { (try $0[0] as Int64, try $0[1] as String) })
        bindings += (pairs ?? []).map { .key([.integer($0.0), .text($0.1)]) }
        let codes = try? connection.query("SELECT c FROM main.code", row: { try $0[0] as String })
        bindings += (codes ?? []).map { .key([.text($0)]) }
        return bindings
    }

    /// The names of the columns that have an identity, by it: those of the template, and what the file claims.
    private func sealed(_ connection: borrowing Connection) -> [[UInt8]: String] {
        var columns: [[UInt8]: String] = [:]
        let claimed = try? connection.query(
            "SELECT identity FROM main.lockstep_column WHERE length(identity) = 16", row: { try $0[0] as [UInt8] })
        for identity in claimed ?? [] { columns[identity] = "plain.draft" }
        for (title, column) in template.registered {
            if let identity = column.identity { columns[identity] = title }
        }
        return columns
    }

    /// The plaintext of a cell, under any column and in any row.
    private func opened(
        _ cell: [UInt8], _ columns: [[UInt8]: String], _ bindings: [CellBinding]
    ) throws -> [(title: String, text: String)] {
        guard let format = CellPrefix(cell.span)?.format else { return [] }
        var found: [(String, String)] = []
        for (identity, title) in columns {
            let mode: SealedColumn.Mode = format == .deterministic ? .deterministic : .random
            let cipher = try ColumnCipher(column: 1, identity: identity, keys, SealingTools(), mode: mode)
            for binding in bindings {
                guard let value = try? cipher.open(cell.span, at: binding) else { continue }
                found.append((title, "\(value)"))
                break
            }
        }
        return found
    }

    private func isAllowed(_ value: String, _ title: String, _ program: HostileProgram) -> Bool {
        let parts = title.split(separator: ".", maxSplits: 1).map(String.init)
        var texts = program.values(of: parts[0], parts[1])
        // The column's values before it was sealed, and the literal that the file has for a title, which the operator
        // can give to any column that a program omits: see SECURITY.md.
        if title == "plain.draft" { texts.formUnion(program.drafts) }
        texts.insert("untitled")
        return value == "null" || texts.contains { value == "\(Value.text($0))" }
    }

    // MARK: Values

    /// Values that the program reads back but did not write, or wrote but does not read back.
    func wrongValues(
        _ victim: borrowing HostileVictim, _ program: HostileProgram, _ shapes: [HostileShape]
    ) -> [String] {
        let isLoose = shapes.contains(where: \.changesRows)
        var wrong: [String] = []
        for column in HostileTemplate.columns {
            let keys = column.key.map { SQLTokens.quote($0) }
            let condition = keys.map { "CAST(\($0) AS TEXT) = ?" }.joined(separator: " AND ")
            let view = SQLTokens.quote("\(column.table)_open")
            let all = program.values(of: column.table, column.name)
            let places = program.history.filter {
                $0.key.table == column.table && $0.key.column == column.name && !$0.key.key.isEmpty
            }
            let sql = "SELECT \(SQLTokens.quote(column.name)) FROM \(view) WHERE \(condition)"
            guard let statement = try? victim.connection.prepare(SQL(verbatim: sql)) else {
                continue
            }
            for (place, history) in places {
                var found: [Value]
                do {
                    try statement.bind(values: place.key.map { .text($0) })
                    found = []
                    try statement.forEach { row in found.append(try row[0] as Value) }
                } catch {
                    // An error is an acceptable answer.
                    continue
                }
                let text = found.first.map(Self.text) ?? nil
                let isRight =
                    isLoose
                    ? text.map {
                        history.possible.contains($0)
                            || (column.mode == .deterministic && all.contains($0))
                    } ?? true
                        // Anyone who can open the database can set a cell to NULL, or hide it that way: a manifest
                        // detects that.
                    : text == history.current || text == nil
                if !isRight {
                    wrong.append("\(place) is read as \(text ?? "nothing"), and was \(history)")
                }
            }
        }
        return wrong
    }

    private static func text(_ value: Value) -> String? {
        switch value {
        case .null: nil
        case .text(let text): text
        default: "\(value)"
        }
    }
}
