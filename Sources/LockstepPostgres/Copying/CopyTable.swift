internal import Lockstep

/// A table as it is in a file and on a server: the columns that are in both, in the file's order.
struct CopyTable: Sendable {
    struct Column: Sendable {
        /// The name as the file spells it.
        let fileName: String
        /// The name as the server spells it.
        let serverName: String
        let type: UInt32
        let crossing: TypeCrossing
        /// How many characters a text may have on the server; nil for any number.
        let longest: Int?
        /// Whether the server takes NULL.
        let takesNull: Bool

        /// - Throws: ``TypeCrossing/Obstacle`` for a value that the server would refuse.
        func require(_ value: borrowing RowValue) throws {
            switch value {
            case .null where !takesNull: throw TypeCrossing.Obstacle(what: "NULL, and is NOT NULL on the server,")
            case .text(let bytes):
                guard let longest else { return }
                var count = 0
                for index in 0..<bytes.byteCount {
                    let byte = unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
                    // Of a character the first byte alone.
                    if byte & 0xC0 != 0x80 { count += 1 }
                }
                guard count <= longest else {
                    throw TypeCrossing.Obstacle(what: "a text of more than \(longest) characters")
                }
            default: return
            }
        }
    }

    let file: SealedTable
    let server: ServerTable
    let columns: [Column]
    /// The places of the primary key's columns among ``columns``, in the key's order; empty without a key that is the
    /// same in both.
    let key: [Int]

    var name: String { file.name }

    /// - Throws: `LockstepError.Code.typeMismatch` for a column that one of the two has not, or whose type's values do
    ///   not cross.
    init(_ file: SealedTable, _ server: ServerTable) throws(LockstepError) {
        var columns: [Column] = []
        for column in file.columns where !column.isGenerated {
            guard let other = server.shape.column(column.name),
                let detail = server.detail(column.name), !other.isGenerated
            else {
                throw Self.mismatch(
                    "the file's column \(file.name).\(column.name) is not on the server", file, column.name)
            }
            guard let crossing = TypeCrossing(detail.type) else {
                throw Self.mismatch(
                    "values of the type \(other.type) of \(file.name).\(column.name) do not cross",
                    file,
                    column.name, hint: "declare the column with one of \(TypeCrossing.known)")
            }
            columns.append(
                Column(
                    fileName: column.name, serverName: other.name, type: detail.type, crossing: crossing,
                    longest: detail.type == ServerType.varchar ? Self.length(other.type) : nil,
                    takesNull: !other.isNotNull))
        }
        for column in server.shape.columns where !column.isGenerated && file.column(column.name)?.isGenerated ?? true {
            throw Self.mismatch("the server's column \(file.name).\(column.name) is not in the file", file, column.name)
        }
        let names = file.key.columns.map { SQLName($0.name) }
        let isSame = names == server.shape.key.columns.map { SQLName($0.name) }
        key =
            isSame
            ? names.compactMap { name in columns.firstIndex { SQLName($0.fileName) == name } }
            : []
        (self.file, self.server, self.columns) = (file, server, columns)
    }

    /// The number in `character varying(5)`.
    private static func length(_ type: String) -> Int? {
        Int(type.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" })
    }

    private static func mismatch(
        _ message: String, _ file: SealedTable, _ column: String,
        hint: String = "give the set a file for the other engine that makes the same columns"
    ) -> LockstepError {
        LockstepError(
            .typeMismatch, message, hint: hint,
            context: .init(table: file.name, column: column))
    }

    // MARK: SQL

    /// The file's rows in the key's order.
    /// - Parameter isContinued: Whether only rows after the key that the parameters give are wanted.
    func fileSelection(isContinued: Bool = false) -> String {
        let names = columns.map { SQLTokens.quote($0.fileName) }.joined(separator: ", ")
        let keys = key.map { "\(SQLTokens.quote(columns[$0].fileName)) COLLATE BINARY" }
        let order = keys.isEmpty ? "" : " ORDER BY \(keys.joined(separator: ", "))"
        let places = keys.map { _ in "?" }.joined(separator: ", ")
        let start =
            isContinued ? " WHERE (\(keys.joined(separator: ", "))) > (\(places))" : ""
        return "SELECT \(names) FROM main.\(file.quotedName)\(start)\(order)"
    }

    private var serverNames: String {
        columns.map { SQLTokens.quote($0.serverName) }.joined(separator: ", ")
    }

    /// Takes rows in the binary format.
    var copyIn: String {
        "COPY \(server.quotedName) (\(serverNames)) FROM STDIN (FORMAT binary)"
    }

    /// Sends the server's rows, in the key's order, in the binary format.
    var copyOut: String {
        let keys = key.map { ServerType.ordered(SQLTokens.quote(columns[$0].serverName), columns[$0].type) }
        let order = keys.isEmpty ? "" : " ORDER BY \(keys.joined(separator: ", "))"
        return "COPY (SELECT \(serverNames) FROM \(server.quotedName)\(order)) TO STDOUT (FORMAT binary)"
    }

    /// Puts a row into the file.
    var fileInsertion: String {
        let names = columns.map { SQLTokens.quote($0.fileName) }.joined(separator: ", ")
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        return "INSERT INTO main.\(file.quotedName) (\(names)) VALUES (\(places))"
    }

    // MARK: Errors

    /// The error for a value that does not cross, named by its place and never by itself.
    func obstacle(
        _ obstacle: TypeCrossing.Obstacle, _ column: Column, at key: String
    ) -> LockstepError {
        LockstepError(
            .typeMismatch,
            "\(name).\(column.fileName) has \(obstacle.what)\(key), which does not cross to the other engine",
            hint: "change the value, or the type that the set declares for the column there",
            context: .init(table: name, column: column.fileName))
    }
}
