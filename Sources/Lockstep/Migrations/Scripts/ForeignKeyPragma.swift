/// `PRAGMA foreign_keys = OFF;` in a file, recognised by its tokens.
struct ForeignKeyPragma {
    let isOff: Bool
    /// The byte offset of its end, after the semicolon.
    let end: Int

    /// Nil if the bytes do not begin with a pragma that switches foreign keys on or off.
    init?(_ bytes: [UInt8], from offset: Int) {
        // The longest form is `pragma foreign_keys ( off ) ;`.
        var cursor = SQLCursor(bytes, from: offset, limit: 6)
        guard cursor.take("pragma"), (try? cursor.next().name) == "foreign_keys" else { return nil }
        let isCall = cursor.take("(")
        guard isCall || cursor.take("="), let setting = try? cursor.next().name,
            !isCall || cursor.take(")"), cursor.take(";") || cursor.isAtEnd
        else { return nil }
        switch setting.folded {
        case "off", "0", "false", "no": isOff = true
        case "on", "1", "true", "yes": isOff = false
        default: return nil
        }
        end = cursor.end
    }
}
