internal import Synchronization

/// Which tables the versions of a set have filled from which, by their files.
///
/// A run that stopped between the version that copies rows and the one that drops their old table does not know the
/// copy any more, and neither does a version with several transactions that is continued. The files only say where rows
/// can stand: the guard compares the rows themselves.
final class EarlierFills: Sendable {
    /// What has happened before a version.
    struct Place: Sendable, Equatable {
        let fills: EarlierFills
        let version: MigrationVersion
        /// The way of the version that runs.
        let script: MigrationScript

        static func == (one: Place, other: Place) -> Bool {
            one.fills === other.fills && one.version == other.version && one.script == other.script
        }

        /// What was filled, by the names of before the version; for one that was begun also what it fills itself.
        var names: TableNames {
            var names = fills.names(before: version)
            guard !script.isOneTransaction else { return names }
            for sql in EarlierFills.statements(of: script) {
                if case .insert = SaidStatement(sql)?.kind { names.follow(sql) }
            }
            return names
        }
    }

    private let files: [MigrationFile]
    private let state = Mutex((count: 0, names: TableNames()))

    init(_ set: MigrationSet) { files = set.files }

    private func names(before version: MigrationVersion) -> TableNames {
        let count = files.prefix { $0.version < version }.count
        return state.withLock { state in
            if state.count > count { state = (0, TableNames()) }
            for file in files[state.count..<count] {
                for sql in Self.statements(of: file.up) { state.names.follow(sql) }
            }
            state.count = count
            return state.names
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
