import SystemPackage

@testable import EngineTestSupport
@testable import Lockstep

/// A program's connection with the keys, to a file that the operator changes before or after it is opened.
struct HostileVictim {
    /// Which of the defences are active.
    enum Kind: String, CaseIterable, Sendable {
        /// All of them; the schema is changed before the file is opened.
        case opened
        /// All of them; the schema is changed while the file is open.
        case late
        /// A control: generated SQL contains defaults as the file has them, together with the capability.
        case pasted
        /// A control: the functions require no capability, and the schema is not checked.
        case unchecked

        var isControl: Bool { self == .pasted || self == .unchecked }
        /// Whether it supports migrations, sealing and verification.
        var isWhole: Bool { self == .opened || self == .late }
    }

    let kind: Kind
    let path: FilePath
    let keys: FieldKeys
    private let opened: OpenedConnection
    /// The owner of the session that the functions use on a connection without its own session.
    private let model: OpenedConnection?
    /// Opens and seals for the connection.
    let session: SealedAttachment?

    /// Opens the file, and lets the operator change it at the time that the kind specifies.
    init(
        _ kind: Kind, _ path: FilePath, _ template: HostileTemplate, _ keys: FieldKeys,
        change: () throws -> Void
    ) throws {
        (self.kind, self.path, self.keys) = (kind, path, keys)
        var options = ConnectionOptions()
        options.fieldKeys = [keys]
        options.busyTimeout = .milliseconds(50)
        guard !kind.isWhole else {
            if kind == .opened { try change() }
            let opened = try Connection.open(path, key: HostileTemplate.databaseKey(), options: options)
            if kind == .late { try change() }
            session = opened.sealed
            self.opened = OpenedConnection(opened)
            model = nil
            return
        }
        // The session belongs to another file, in its original state; this registers its functions and views.
        let clean = path.removingLastComponent().appending("clean.db")
        let model = try Connection.open(
            clean, key: HostileTemplate.databaseKey(), options: options)
        try change()
        let bare = try Connection.open(path, key: HostileTemplate.databaseKey())
        session = model.sealed
        if let session { try Self.equip(bare, session, kind) }
        opened = OpenedConnection(bare)
        self.model = OpenedConnection(model)
    }

    /// The program's connection.
    var connection: Connection { _read { yield opened.connection } }

    /// The capability's secret bytes.
    var capability: [UInt8]? {
        session.map { Array($0.capability.argument(for: 0).prefix(16)) }
    }

    // MARK: Without a session of its own

    private static func equip(_ connection: borrowing Connection, _ session: SealedAttachment, _ kind: Kind) throws {
        try connection.add("lockstep_begins", argumentCount: 2, CellFunction.begins)
        try connection.add(
            "lockstep_written", argumentCount: 3, CellFunction.written(connection.core, session.capability))
        for (name, work) in CellFunction.all {
            let body = kind == .unchecked ? unchecked(session, work) : CellFunction.body(session, work)
            try connection.add(name, argumentCount: nil, body)
        }
        try connection.with(rights: .engine) {
            for group in try groups(session, connection) {
                for statement in statements(of: group, kind) {
                    // An object that is no longer a table has no view, and the program cannot write to it.
                    try connection.execute(SQL(verbatim: statement))
                }
            }
        }
    }

    /// Opens and seals for every caller: the capability prevents this.
    private static func unchecked(
        _ session: SealedAttachment, _ work: @escaping CellFunction.Work
    ) -> RegisteredFunction.Body {
        { call throws(LockstepError) in
            var number = 0
            switch call.kind(0) {
            case .integer: number = Int(truncatingIfNeeded: call.integer(0))
            case .blob: number = Int(try call.bytes(0).last ?? 0)
            default: break
            }
            guard let column = session.named.first(where: { $0.number == number })?.column else {
                return
            }
            try work(column, call)
        }
    }

    private static func groups(
        _ session: SealedAttachment, _ connection: borrowing Connection
    ) throws -> [DecryptingViews.Group] {
        let tables = Set(session.named.map { $0.column.column.table }).sorted()
        return try tables.compactMap { table in
            guard let shape = try SealedTable(table, connection) else { return nil }
            let columns = session.named.filter { $0.column.column.table == table }
            return DecryptingViews.Group(
                shape: shape, columns: columns.map { ($0.number, $0.column.column) }, capability: session.capability)
        }
    }

    private static func statements(of group: DecryptingViews.Group, _ kind: Kind) -> [String] {
        let statements = ViewSQL(group).statements
        guard kind == .pasted else { return statements }
        // The earlier form: `coalesce(NEW.x, <the file's text>)`, and the functions took a number.
        return statements.map { statement in
            guard statement.contains("INSTEAD OF INSERT") else { return statement }
            var statement = statement
            for column in group.shape.columns {
                guard column.isNotNull, let standard = column.defaultSQL, column.literalDefault == nil else { continue }
                let value = "NEW.\(SQLTokens.quote(column.name))"
                statement = statement.replacing("\(value) IS NULL; ", with: "0; ", maxReplacements: 1)
                statement = statement.replacing(
                    value, with: "coalesce(\(value), \(filled(standard, group.capability)))")
            }
            return statement
        }
    }

    /// Gives each call the capability instead of the column's number.
    private static func filled(_ sql: String, _ capability: CellCapability) -> String {
        let bytes = Array(sql.utf8)
        var (filled, name, isArmed) = ("", SQLName(""), false)
        for token in SQLTokens(sql) {
            let text = String(decoding: bytes[token.range], as: UTF8.self)
            if isArmed, token.kind == .number, let number = Int(text) {
                filled += capability.literal(for: number)
            } else {
                filled += text
            }
            guard token.kind != .space, token.kind != .comment, text != "\u{FEFF}" else { continue }
            isArmed = text == "(" && CellFunction.names.contains(name)
            name = SQLName(SQLTokens.unquote(text))
        }
        return filled
    }
}

/// A connection with several owners.
private final class OpenedConnection {
    let connection: Connection

    init(_ connection: consuming Connection) { self.connection = connection }
}
