import SystemPackage
import TestSupport

@testable import Lockstep
@testable import LockstepTool

/// What a database file is, read with any key of any keyring that the user holds and without Lockstep's checks.
struct FileSummary {
    /// The keyring that has its key, and the key's version.
    let keyring: String
    let version: UInt32
    let content: KeyringTable.Content
    let columns: [String]
    let changes: [String]
    /// The beginnings of cells: how and under which key they are sealed.
    let cells: [String]
    let schema: Int

    /// Nil for a file that no key opens.
    static func read(_ name: String, _ bench: CustodyBench) throws -> FileSummary? {
        guard bench.exists(name) else { return nil }
        for keyring in try bench.keyringNames() {
            guard let key = try key(name, keyring, bench) else { continue }
            let connection = try open(name, keyring, key, bench)
            return try connection.with(rights: .engine) {
                FileSummary(
                    keyring: keyring, version: key.version, content: try KeyringTable.read(connection),
                    columns: try texts(
                        "SELECT table_name || '.' || name || ' ' || state || '|' || hex(identity) FROM lockstep_column ORDER BY 1",
                        "lockstep_column", connection),
                    changes: try texts(
                        "SELECT changes || ' ' || key_version FROM lockstep_dataset", "lockstep_dataset", connection),
                    cells: try texts(
                        "SELECT CASE typeof(ssn) WHEN 'blob' THEN hex(substr(ssn, 1, 5)) ELSE typeof(ssn) END FROM person ORDER BY id",
                        "person", connection), schema: try connection.value("PRAGMA user_version", as: Int.self) ?? 0)
            }
        }
        return nil
    }

    private static func texts(
        _ sql: SQL, _ table: String, _ connection: borrowing Connection
    ) throws -> [String] {
        let count = try connection.value("SELECT count(*) FROM main.sqlite_schema WHERE name = ?", table, as: Int.self)
        guard count == 1 else { return [] }
        return try connection.query(sql) { try $0[0] as String }
    }

    /// The key of a keyring that a file has.
    private static func key(
        _ name: String, _ keyring: String, _ bench: CustodyBench
    ) throws -> FileKey? {
        let opened = try bench.opened(keyring)
        guard opened.keyring.purpose == .database else { return nil }
        return try opened.keyring.keyEntry(ofFileAt: bench.path(name))
    }

    private static func open(
        _ name: String, _ keyring: String, _ key: FileKey, _ bench: CustodyBench, fields: FieldKeys? = nil
    ) throws -> Connection {
        var options = ConnectionOptions()
        options.isQueryOnly = true
        if let fields {
            options.fieldKeys = [fields.withoutMemory()]
            options.mayBeUnsealed = true
            options.mayBeUnknown = true
        }
        return try Connection.open(
            bench.path(name), key: bench.opened(keyring).keyring.databaseKey(key), options: options)
    }

    /// Whether any keys that the user holds read these rows of a file, and their cells.
    static func holds(_ rows: [String], _ name: String, _ bench: CustodyBench) throws -> Bool {
        let keyrings = try bench.keyringNames()
        let fields = try keyrings.filter { try bench.opened($0).keyring.purpose == .fields }
        for keyring in keyrings {
            for fields in [nil] + fields.map(Optional.some) {
                do {
                    let keys = try fields.map {
                        try bench.opened($0).keyring.fieldKeys(named: "people")
                    }
                    guard let key = try key(name, keyring, bench) else { continue }
                    let connection = try open(name, keyring, key, bench, fields: keys)
                    if try CustodyBench.rows(connection) == rows { return true }
                } catch is LockstepError {
                    continue
                }
            }
        }
        return false
    }
}

/// The state of a bench without what is random or only counted: states that are described in the same way behave in the
/// same way, as far as the model goes.
struct StateDescription {
    private var tags: [[UInt8]: Int] = [:]
    private(set) var text = ""

    init(_ bench: CustodyBench, _ truth: [String: [String]]) throws {
        let names = try bench.keyringNames()
        for name in names { try describe(name, bench) }
        for name in CustodyBench.databases where bench.exists(name) {
            let rows = truth[name].map { $0.joined(separator: ",") } ?? "-"
            text += "\(name) rows \(rows)"
            if bench.exists(name + "-wal") { text += " wal" }
            if bench.exists(name + ".damaged-1") { text += " log aside" }
            if let summary = try FileSummary.read(name, bench) {
                try describe(summary, names, bench)
            }
            text += "\n"
        }
    }

    private mutating func tag(_ id: [UInt8]?) -> String {
        guard let id else { return "-" }
        let tag = tags[id] ?? tags.count
        tags[id] = tag
        return "#\(tag)"
    }

    private mutating func describe(_ name: String, _ bench: CustodyBench) throws {
        let document = try bench.opened(name).keyring.document
        text += "\(name) \(document.purpose) ring \(tag(document.ringID)) after"
        text += document.formerRings.map { " \(tag($0))" }.joined()
        text += document.keys.map { " \($0.kind)\($0.version)\($0.state)" }.joined()
        text += document.slots.map { " \($0.description.name)" }.joined() + "\n"
        let files = document.files.sorted {
            ($0.path?.string ?? "", $0.keyVersion) < ($1.path?.string ?? "", $1.keyVersion)
        }
        for file in files {
            text +=
                "  \(tag(file.database)) key \(file.keyVersion) at \(file.path?.string ?? "-")"
                + " \(file.seen == 0) \(tag(file.origin))\n"
        }
        let sealed = document.sealed.sorted {
            (tags[$0.database] ?? 99, $0.changes) < (tags[$1.database] ?? 99, $1.changes)
        }
        for record in sealed {
            text +=
                "  \(tag(record.database)) sealed \(record.isSealed) \(tag(record.registry))"
                + " \(record.seen == 0) \(record.lowestKey) \(tag(record.origin))"
                + record.columns.map { " \($0.title)" }.joined() + "\n"
        }
    }

    private mutating func describe(
        _ file: FileSummary, _ keyrings: [String], _ bench: CustodyBench
    ) throws {
        let content = file.content
        text +=
            " \(tag(content.database)) \(content.role) \(file.keyring) \(file.version)"
            + " \(content.restored != nil) schema \(file.schema)"
        for column in file.columns {
            text += " \(column.prefix { $0 != "|" }) \(tag(Array(column.utf8)))"
        }
        text += " cells \(file.cells.joined(separator: ","))"
        for name in keyrings {
            let opened = try bench.opened(name)
            let document = opened.keyring.document
            let isFields = document.purpose == .fields
            let epochs = isFields ? content.fieldsEpochs : content.epochs
            guard let own = epochs[document.ringID] else { continue }
            let record = document.sealed.first { $0.database == content.database }
            let seen =
                isFields
                ? record?.seen
                : document.files.first { $0.database == content.database }?.seen
            text += " \(sign(own, opened.keyring.epoch))\(sign(own, seen ?? 0))"
            if let record, let changes = file.changes.first?.split(separator: " ").first {
                text += sign(UInt64(changes) ?? 0, record.changes)
            }
        }
    }

    private func sign(_ one: UInt64, _ other: UInt64) -> String {
        one < other ? "<" : one > other ? ">" : "="
    }
}
