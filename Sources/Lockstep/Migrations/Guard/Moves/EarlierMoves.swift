internal import Synchronization

/// Which tables the versions of a set have filled from which, by their files.
///
/// A run that stopped between the version that copies rows and the one that drops their old table does not know the
/// copy any more, and neither does a version with several transactions that is continued. The files still show it. They
/// only say where rows can stand: the guard compares the rows themselves.
final class EarlierMoves: Sendable {
    /// A statement that put rows of one table into another.
    struct Fill: Sendable {
        let statement: FillStatement
        let sql: String
        /// The name of the table that it filled, before the version that asks.
        let target: SQLName
    }

    /// What has happened before a version.
    struct Place: Sendable, Equatable {
        let moves: EarlierMoves
        let version: MigrationVersion
        /// The way of the version that runs.
        let script: MigrationScript

        static func == (one: Place, other: Place) -> Bool {
            one.moves === other.moves && one.version == other.version
                && one.script == other.script
        }

        /// The statements that filled other tables from a table.
        /// - Parameters:
        ///   - former: Its name before the version.
        ///   - table: Its name now, by which the version itself calls it.
        func fills(of table: SQLName, formerly former: SQLName?) -> [Fill] {
            let own = EarlierMoves.statements(of: script).compactMap { sql -> Fill? in
                guard let fill = FillStatement(sql), fill.source == table else { return nil }
                return Fill(statement: fill, sql: sql, target: fill.target)
            }
            return own + (former.map { moves.fills(of: $0, before: version) } ?? [])
        }
    }

    fileprivate struct State {
        /// The number of files that have been read.
        var count = 0
        var names: [SQLName: Int] = [:]
        var next = 0
        var fills: [(from: Int, to: Int, statement: FillStatement, sql: String)] = []
    }

    private let files: [MigrationFile]
    private let state = Mutex(State())

    init(_ set: MigrationSet) { files = set.files }

    private func fills(of table: SQLName, before version: MigrationVersion) -> [Fill] {
        let count = files.prefix { $0.version < version }.count
        return state.withLock { state in
            if state.count > count { state = State() }
            for file in files[state.count..<count] {
                for sql in Self.statements(of: file.up) { state.follow(sql) }
            }
            state.count = count
            guard let number = state.names[table] else { return [] }
            return state.fills.filter { $0.from == number }.compactMap { fill in
                state.names.first { $0.value == fill.to }.map {
                    Fill(statement: fill.statement, sql: fill.sql, target: $0.key)
                }
            }
        }
    }

    private static func statements(of script: MigrationScript) -> [String] {
        script.items.flatMap { item -> [String] in
            guard case .sql(let sql) = item.content else { return [] }
            let bytes = Array(sql.utf8)
            var ends = SQLTokens(sql).filter {
                bytes[$0.range].elementsEqual([UInt8(ascii: ";")])
            }.map(\.range.lowerBound)
            ends.append(bytes.count)
            return zip([0] + ends.map { $0 + 1 }, ends).map { start, end in
                String(decoding: bytes[start..<end], as: UTF8.self)
            }
        }
    }
}

extension EarlierMoves.State {
    private mutating func number(_ name: SQLName) -> Int {
        if let number = names[name] { return number }
        next += 1
        names[name] = next
        return next
    }

    /// Follows the names of tables through a statement.
    fileprivate mutating func follow(_ sql: String) {
        if let fill = FillStatement(sql) {
            if fill.isCreation { names[fill.target] = nil }
            guard let source = fill.source, source != fill.target else { return }
            fills.append((number(source), number(fill.target), fill, sql))
            return
        }
        // A name can have three tokens.
        var cursor = SQLCursor(Array(sql.utf8), limit: 10)
        if cursor.take("create", "table") {
            _ = cursor.take("if", "not", "exists")
            if let name = try? cursor.objectName() { names[name] = nil }
        } else if cursor.take("drop", "table") {
            _ = cursor.take("if", "exists")
            if let name = try? cursor.objectName() { names[name] = nil }
        } else if cursor.take("alter", "table"), let old = try? cursor.objectName(),
            cursor.take("rename", "to"), let new = try? cursor.name()
        {
            let number = number(old)
            names[old] = nil
            names[new] = number
        }
    }
}
