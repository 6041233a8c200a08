/// A name in SQL that the connection finds which prepares it, such as the table of a record.
protocol NameOnConnection: Sendable {
    /// The name as SQL.
    func text(on connection: borrowing Connection) throws -> String
}

/// Puts such names into SQL.
enum NamesOnConnection {
    static func found(
        in sql: SQL, _ connection: borrowing Connection
    ) throws(LockstepError) -> SQL {
        var bytes: [UInt8] = []
        let text = Array(sql.text.utf8)
        var end = 0
        for name in sql.names {
            bytes += text[end..<name.place.lowerBound]
            bytes += Array(try self.text(name, connection).utf8)
            end = name.place.upperBound
        }
        bytes += text[end...]
        return sql.with(text: String(decoding: bytes, as: UTF8.self))
    }

    private static func text(
        _ name: SQL.Name, _ connection: borrowing Connection
    ) throws(LockstepError) -> String {
        do {
            return try (name.object as? any NameOnConnection)?.text(on: connection) ?? ""
        } catch let error as LockstepError {
            throw error
        } catch {
            throw LockstepError(.misuse, "a name in the SQL is not known")
        }
    }
}
