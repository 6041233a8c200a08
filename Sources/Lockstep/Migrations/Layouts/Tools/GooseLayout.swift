// Rules: internal/sqlparser/parser.go, migrate.go and migration.go. A name is a number above zero, an underscore,
// any text, `.sql` or `.go`; any other SQL file is an error, any other Go file a helper. A marker is a line that
// begins with dashes and contains `+goose` with Up, Down, StatementBegin, StatementEnd, NO TRANSACTION (anywhere,
// for the whole file), ENVSUB ON or OFF, in any case. The order is by number.

/// `<number>_<name>.sql`, with `-- +goose Up` and optionally `-- +goose Down` in the file.
enum GooseLayout: LayoutRules {
    static let marker: String? = "+goose"
    static let firstVersion: String? = "00001"

    static func read(_ sources: [MigrationSource]) throws(LockstepError) -> LayoutContents {
        var contents = LayoutContents()
        for source in sources where source.folder == nil {
            let number = NumberedName(source.stem ?? source.name)
            let version = number?.signedVersion(atLeast: 1)
            let isCode = source.name.ends(with: ".go") && !source.name.ends(with: "_test.go")
            if isCode, let version {
                contents.code.append(ExternalCode(version: version, fileName: source.path, language: "Go"))
            }
            guard source.isSQL else { continue }
            guard source.stem != nil, let number, let version else {
                throw source.malformed(
                    "is not named like a migration of goose",
                    hint: "name it <number>_<name>.sql, such as 00001_create_tables.sql")
            }
            contents.versions.append(try file(version, number.name, source))
        }
        return contents
    }

    static func draft(
        _ version: String, _ name: String, in set: MigrationSet
    ) -> [(path: String, content: String)] {
        [("\(version)_\(name).sql", "-- +goose Up\n\n-- +goose Down\n\n")]
    }

    private static func file(
        _ version: MigrationVersion, _ name: Substring, _ source: MigrationSource
    ) throws(LockstepError) -> MigrationFile {
        let sections = MarkedSections(upMarker: "-- +goose Up", downMarker: "-- +goose Down")
        let cutter = ScriptSplitter(
            source.origin, source.engine.lexis, readsForeignKeyPragmas: true
        ) { comment throws(LockstepError) in try marker(comment)
        }
        let scripts = try sections.scripts(of: source.text(), cutter) {
            marks throws(LockstepError) in try requireBalance(marks, source)
        }
        return try MigrationFile(
            version, name: name, source, up: scripts.up, down: scripts.down, markers: { meaning(of: $0) })
    }

    /// The text of a marker in lower case; nil for any other comment.
    private static func meaning(of comment: some StringProtocol) -> String? {
        guard comment.begins(with: "--"), comment.contains("+goose") else { return nil }
        let words = Substring(comment).drop { $0 == "-" }.split(whereSeparator: \.isWhitespace)
        return words.map(\.asciiLowercased).joined(separator: " ")
    }

    private static func marker(
        _ comment: ScriptSplitter.Comment
    ) throws(LockstepError) -> ScriptSplitter.Marker? {
        // goose does not recognise a marker after SQL on the same line.
        guard comment.lead != .something, let meaning = meaning(of: comment.text) else {
            return nil
        }
        guard comment.lead == .nothing else {
            throw comment.malformed(
                "goose refuses a marker with white space before it",
                hint: "remove the white space")
        }
        switch meaning {
        case "+goose up": return .up(inTransaction: true)
        case "+goose down": return .down(inTransaction: true)
        case "+goose statementbegin": return .statementBegin
        case "+goose statementend": return .statementEnd
        case "+goose no transaction": return .noTransaction
        case "+goose envsub off": return .remark
        case "+goose envsub on":
            throw comment.malformed(
                "this file has parts that goose reads from the environment",
                hint: "write the values into the file: a migration must do the same everywhere")
        default:
            throw comment.malformed(
                "“\(comment.content)” is not a goose marker",
                hint: "the markers are Up, Down, StatementBegin, StatementEnd, NO TRANSACTION")
        }
    }

    /// Requires a StatementEnd for each StatementBegin, in the same direction.
    private static func requireBalance(
        _ marks: [(marker: ScriptSplitter.Marker, line: Int)], _ source: MigrationSource
    ) throws(LockstepError) {
        var begun: Int?
        var isInside = false
        func malformed(_ line: Int, _ what: String) -> LockstepError {
            source.origin.malformed(
                what, line: line,
                hint: "each `-- +goose StatementBegin` needs its `-- +goose StatementEnd`, "
                    + "both after the same `-- +goose Up` or `-- +goose Down`")
        }
        for (marker, line) in marks {
            switch marker {
            case .up, .down:
                if let begun { throw malformed(begun, "StatementBegin has no StatementEnd") }
                isInside = true
            case .statementBegin:
                guard isInside, begun == nil else {
                    throw malformed(line, "StatementBegin is out of place")
                }
                begun = line
            case .statementEnd:
                guard begun != nil else {
                    throw malformed(line, "StatementEnd has no StatementBegin")
                }
                begun = nil
            case .noTransaction, .remark: continue
            }
        }
        if let begun { throw malformed(begun, "StatementBegin has no StatementEnd") }
    }
}
