@testable import Lockstep

/// The file's true state, as an observer of every change knows it: which differences there are, and which of them
/// cannot be detected from the file and the keyrings alone.
struct OperatorTruth: Equatable {
    /// A column that the migrations seal.
    struct Column: Sendable {
        let table: String
        let name: String
        let key: [String]
        var tokens: [String] = []
        var isDeterministic = false
    }

    static let sealed = [
        Column(table: "film", name: "title", key: ["id"], tokens: ["title_casefold_token", "title_exact_token"]),
        Column(table: "film", name: "note", key: ["id"], isDeterministic: true),
        Column(table: "credit", name: "role", key: ["film", "place"]),
        // Partly sealed where the prototype says so.
        Column(table: "credit", name: "fee", key: ["film", "place"]),
    ]

    /// Each kind of difference that was found.
    struct Differences: Equatable {
        var undetected: Set<Undetected> = []
        /// Differences that must be detected.
        var due: Set<String> = []
    }

    private let tables: [String: TableRows]
    private let schema: [[Value]]
    private let header: [Int64]

    init(_ connection: borrowing Connection) throws {
        let names = try connection.query(
            """
            SELECT name FROM main.sqlite_schema
            WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'
            """
        ) { row in try row[0] as String }
        var tables: [String: TableRows] = [:]
        for name in names { tables[name] = try TableRows(name, connection) }
        self.tables = tables
        schema = try connection.query(
            "SELECT type, name, tbl_name, sql FROM main.sqlite_schema ORDER BY type, name"
        ) { row in try (0..<row.count).map { try row[$0] as Value } }
        header = [try connection.headerField("user_version"), try connection.headerField("application_id")]
    }

    /// How another state differs from this one.
    func differences(
        _ other: OperatorTruth, _ prototype: OperatorPrototype, dataset: [UInt8]
    ) -> Differences {
        var found = Differences()
        if schema != other.schema { found.due.insert("the schema") }
        if header != other.header { found.due.insert("the header") }
        for name in tables.keys {
            guard let before = tables[name], let after = other.tables[name],
                before.columns == after.columns
            else { continue }
            guard before != after else { continue }
            switch name {
            case "film", "credit": compare(before, after, prototype, &found)
            case EngineTables.epochs:
                let (before, after) = (Self.epochs(before), Self.epochs(after))
                // The keyring allows the epochs between what it remembers of the file and its own.
                let epochs = Self.changedEpochs(before, after)
                if !epochs.isEmpty { found.undetected.insert(.recordedEpochs) }
                let kept = after.isSuperset(of: before.subtracting(epochs))
                let isHarmless = after.subtracting(before).allSatisfy { row in
                    if case .blob(let ring) = row[0], ring.count == 16 {
                        ring != Self.noRing
                    } else {
                        false
                    }
                }
                if kept, isHarmless {
                    if after.count > before.count { found.undetected.insert(.otherRings) }
                } else {
                    found.due.insert(name)
                }
            case EngineTables.ledger: compareLedger(before, after, dataset, &found)
            default:
                // Rows of other datasets do not count.
                func own(_ rows: TableRows) -> [[Value]] {
                    rows.rows.filter { $0.first == .blob(dataset) }
                }
                if RegistryRows.names.contains(name), own(before) == own(after) {
                    found.undetected.insert(.otherDatasets)
                } else {
                    found.due.insert(name)
                }
            }
        }
        return found
    }

    /// The rows of rings of database keyrings that have a lower epoch now, or the next one.
    private static func changedEpochs(
        _ before: Set<[Value]>, _ after: Set<[Value]>
    ) -> Set<[Value]> {
        before.filter { row in
            guard row[0] != .blob(noRing), case .integer(let epoch) = row[1] else { return false }
            // A fields keyring's row has a MAC.
            guard row.count < 4 || row[3] == .null else { return false }
            return after.contains { other in
                guard other != row, other[0] == row[0], other[2...] == row[2...], case .integer(let changed) = other[1]
                else { return false }
                return changed > 0 && changed <= epoch + 1
            }
        }
    }

    private static let noRing = [UInt8](repeating: 0, count: 16)

    /// The rows of the keyring's memory, without the epoch of the row with the database's id, which has no meaning.
    private static func epochs(_ rows: TableRows) -> Set<[Value]> {
        Set(
            rows.rows.map { row in
                guard row[0] == .blob(noRing), case .integer(let epoch) = row[1], epoch > 0 else {
                    return row
                }
                return [row[0], .integer(1)] + row[2...]
            })
    }

    /// A row without its MAC looks like one that was applied without keys; a row with a MAC of another dataset or key
    /// version looks like one that was applied with absent keys. The fields of such a row that the migration files do
    /// not determine are unproven.
    private func compareLedger(
        _ before: TableRows, _ after: TableRows, _ dataset: [UInt8], _ found: inout Differences
    ) {
        let codes = ["mac_dataset", "mac_key_version", "mac"]
        let unproven = ["checksum_bytes", "checksum_text", "applied_at", "duration", "tool_version"]
        func named(_ row: [Value]) -> [String: Value] {
            Dictionary(uniqueKeysWithValues: zip(before.columns, row))
        }
        let isDeclared =
            after.rows.count <= before.rows.count
            && zip(before.rows, after.rows).allSatisfy { one, other in
                let (one, other) = (named(one), named(other))
                guard one != other else { return true }
                let isUnprovable = other["mac_dataset"] != .blob(dataset) || other["mac_key_version"] != .integer(1)
                return isUnprovable
                    && before.columns.allSatisfy {
                        (codes + unproven).contains($0) || one[$0] == other[$0]
                    }
            }
        let isShorter = after.rows.count < before.rows.count
        guard isDeclared, !isShorter || !found.due.contains("the schema") else {
            found.due.insert(EngineTables.ledger)
            return
        }
        if !before.rows.starts(with: after.rows) { found.undetected.insert(.ledgerRemarks) }
        if isShorter {
            found.undetected.insert(.newestLedgerRows)
            // With the rows removed, the header's count of them is correct again.
            found.due.remove("the header")
        }
    }

    // MARK: Rows with cells

    private func compare(
        _ before: TableRows, _ after: TableRows, _ prototype: OperatorPrototype, _ found: inout Differences
    ) {
        let columns = Self.sealed.filter {
            $0.table == before.table && ($0.name != "fee" || prototype.isMigrating)
        }
        guard let key = columns.first?.key else { return }
        let old = Self.byKey(before, key)
        let new = Self.byKey(after, key)
        if Set(old.keys) != Set(new.keys) { found.undetected.insert(.rows) }
        let hidden = Set(columns.flatMap { [$0.name] + $0.tokens } + key)
        for (place, row) in new {
            let standing = old[place]
            for column in columns {
                compare(column, place, standing, row, before, prototype, &found)
            }
            guard let standing else { continue }
            for (name, value) in row where !hidden.contains(name) && standing[name] != value {
                found.undetected.insert(.plainColumns)
            }
        }
    }

    private func compare(
        _ column: Column, _ place: [Value], _ standing: [String: Value]?, _ row: [String: Value],
        _ before: TableRows, _ prototype: OperatorPrototype, _ found: inout Differences
    ) {
        let cell = row[column.name] ?? .null
        let tokens = column.tokens.map { row[$0] ?? .null }
        let isAsBefore = standing?[column.name] == cell && tokens == column.tokens.map { standing?[$0] ?? .null }
        guard !isAsBefore else { return }
        let at = OperatorPrototype.CellPlace(
            table: column.table, column: column.name, key: place)
        let former = OperatorPrototype.FormerCell(cell: cell, tokens: tokens)
        if cell == .null, tokens.allSatisfy({ $0 == .null }) {
            found.undetected.insert(standing == nil ? .rows : .nulledCells)
        } else if prototype.formerCells[at]?.contains(former) == true {
            found.undetected.insert(.formerCells)
        } else if column.isDeterministic, Self.values(of: column.name, before, prototype).contains(cell) {
            found.undetected.insert(.movedDeterministicCells)
        } else if column.name == "fee", !Self.isCell(cell) {
            found.undetected.insert(.cellsInTransit)
        } else {
            found.due.insert("\(column.table).\(column.name)")
        }
    }

    /// Whether it looks like a cell.
    static func isCell(_ value: Value) -> Bool {
        if case .blob(let bytes) = value { [0xFC, 0xFD].contains(bytes.first) } else { false }
    }

    private static func byKey(
        _ rows: TableRows, _ key: [String]
    ) -> [[Value]: [String: Value]] {
        var found: [[Value]: [String: Value]] = [:]
        for row in rows.rows {
            let named = Dictionary(uniqueKeysWithValues: zip(rows.columns, row))
            found[key.map { named[$0] ?? .null }] = named
        }
        return found
    }

    /// Every cell that a deterministic column has had.
    private static func values(
        of column: String, _ rows: TableRows, _ prototype: OperatorPrototype
    ) -> Set<Value> {
        var values = Set(prototype.formerCells.filter { $0.key.column == column }.flatMap(\.value).map(\.cell))
        if let place = rows.columns.firstIndex(of: column) {
            values.formUnion(rows.rows.map { $0[place] })
        }
        return values
    }
}
