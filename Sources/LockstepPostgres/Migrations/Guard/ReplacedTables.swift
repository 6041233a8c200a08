internal import Lockstep

/// Tables that a version drops after it has copied their rows to another one of the same name: whether the rows stand there,
/// and what hung on the table and does not hang on its successor. The server itself makes the digests, twice over the table.
/// They say whether the rows are the same, and not whether old ones are among new ones: a version that also adds rows to the
/// table has to declare their loss.
struct ReplacedTables {
    private struct Former {
        let table: TableColumns
        let digest: TableDigest
        let dependents: [Dependent]
    }

    private let script: ServerScript
    private var former: [Int64: Former] = [:]
    /// So that nobody can make rows whose sums are those of others.
    private let seed = Int64.random(in: .min ... .max)

    /// Reads the tables that the script can replace.
    /// - Parameter filled: The tables with rows, all of which this role sees.
    init(
        _ script: ServerScript, filled: [(number: Int64, schema: String, name: String)],
        _ connection: borrowing ServerConnection
    ) throws {
        self.script = script
        for (number, schema, name) in filled where Self.canReplace(SQLName(name), script.readers) {
            let image = try TableColumns(number, schema, name, connection)
            former[number] = Former(
                table: image, digest: try TableDigest(image, of: image.columns, by: image.comparison, seed, connection),
                dependents: try Dependent.all(of: number, connection))
        }
    }

    /// Whether a script drops a table of the name, or gives it another one and drops a table, and makes one of the name: all
    /// others are not read.
    static func canReplace(_ name: SQLName, _ readers: [StatementReader]) -> Bool {
        let drops = readers.filter { $0.contains("drop", "table") }
        guard !drops.isEmpty else { return false }
        let naming = readers.filter { $0.names.contains(name) }
        let isRenamed = naming.contains { $0.contains("rename", "to") }
        return (isRenamed || drops.contains { $0.names.contains(name) })
            && (isRenamed || naming.contains { $0.contains("create") && $0.contains("table") })
    }

    /// What became of a table that was dropped.
    enum Outcome {
        /// No table has its name, or the rows cannot be compared.
        case gone
        /// The other table has other rows.
        case differs(rows: Int, now: Int)
        /// Each row stands there. With what the version declares, and what it reports.
        case stands([LockstepError])
    }

    /// - Throws: `LockstepError.Code.valuesLost` if the rows stand there with other values, or without a column, and
    ///   `LockstepError.Code.schemaBroken` if a trigger, a policy or a unique index is gone; unless that is declared.
    func outcome(_ number: Int64, _ connection: borrowing ServerConnection) throws -> Outcome {
        guard let former = former[number],
            let successor = try former.table.successor(connection)
        else { return .gone }
        let names = Set(successor.columns.map { ExactText($0) })
        let key = former.table.comparison
        guard key.allSatisfy({ names.contains(ExactText($0)) }) else { return .gone }
        let shared = former.table.columns.filter { names.contains(ExactText($0)) }
        let digest = try TableDigest(successor, of: shared, by: key, seed, connection)
        guard digest.rows == former.digest.rows, ExactText(digest.keys) == ExactText(former.digest.keys) else {
            return .differs(rows: former.digest.rows, now: digest.rows)
        }
        var tolerated: [LockstepError] = []
        for (column, sum) in former.digest.columns.sorted(by: { $0.key < $1.key }) {
            try require(column.text, sum, digest.columns[column], former.table.name, &tolerated)
        }
        try requireDependents(former, successor, &tolerated, connection)
        return .stands(tolerated)
    }

    private func require(
        _ column: String, _ before: TableDigest.Column, _ after: TableDigest.Column?, _ table: String,
        _ tolerated: inout [LockstepError]
    ) throws {
        let what: String
        let directive: String
        let isAllowed: Bool
        if let after {
            guard ExactText(after.sum) != ExactText(before.sum), !isSaid(column, of: table) else { return }
            what = "the column \(table).\(column) has other values than before, in the table that replaces it"
            directive = "allow changed values of column \(table).\(column)"
            isAllowed = script.allowsChangedValues(of: column, in: table)
        } else {
            guard before.values > 0 else { return }
            what =
                "the column \(table).\(column) is gone, with \(before.values) values, from the table that replaces it"
            directive = "allow loss of column \(table).\(column)"
            isAllowed = script.allowsLoss(of: column, in: table)
        }
        let context = LockstepError.Context(table: table, column: column)
        guard !isAllowed else {
            tolerated.append(LockstepError(.valuesLost, "values are lost, as declared: \(what)", context: context))
            return
        }
        throw LockstepError(
            .valuesLost, "values would be lost: \(what)",
            hint: "if that is intended, declare `-- lockstep: \(directive)`", context: context)
    }

    /// Whether an UPDATE of the table, under any of its names, sets the column.
    private func isSaid(_ column: String, of table: String) -> Bool {
        let names = script.readers.filter { $0.contains("rename", "to") && $0.names.contains(SQLName(table)) }
            .reduce(into: Set([SQLName(table)])) { $0.formUnion($1.names) }
        return script.readers.contains { reader in
            reader.updates.contains { names.contains($0.table) && $0.columns.contains(SQLName(column)) }
        }
    }

    private func requireDependents(
        _ former: Former, _ successor: TableColumns, _ tolerated: inout [LockstepError],
        _ connection: borrowing ServerConnection
    ) throws {
        let standing = Set(try Dependent.all(of: successor.number, connection).map(\.identity))
        for one in former.dependents where !standing.contains(one.identity) {
            let isDropped = script.readers.contains { $0.contains("drop") && $0.names.contains(SQLName(one.name)) }
            guard !isDropped else { continue }
            let context = LockstepError.Context(table: former.table.name)
            let what = "\(one.title) of \(former.table.name) is gone, with the table that was replaced"
            guard one.isRequired else {
                tolerated.append(LockstepError(.schemaBroken, what, context: context))
                continue
            }
            throw LockstepError(
                .schemaBroken, what,
                hint: "make it again after the table is replaced; if it is to go, drop it by its name", context: context
            )
        }
    }
}
