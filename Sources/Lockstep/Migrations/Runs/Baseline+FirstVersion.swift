public import SystemPackage

extension Baseline {
    /// Writes version 1 of a new set from the schema of a database, in Lockstep's own layout, and records it as
    /// applied.
    ///
    /// A kill between the two leaves the file alone: ``record(on:)`` with version 1 completes it.
    /// - Parameters:
    ///   - folder: The set's folder, which must not hold migrations; made if it does not exist.
    ///   - name: The set's name; nil for the folder's, see ``MigrationSet/name(of:)``.
    ///   - connection: A connection that can write.
    /// - Returns: The set and its file.
    /// - Throws: ``LockstepError/Code/alreadyExists`` for a folder with migrations, or a database that records some;
    ///   ``LockstepError/Code/migrationMalformed`` for a database with sealed columns or without any object, and for
    ///   definitions that no migration file can contain; any error of writing.
    public static func writeFirstVersion(
        into folder: FilePath, named name: String? = nil, from connection: borrowing Connection
    ) throws -> (set: MigrationSet, file: FilePath) {
        if FileAccess.exists(folder) {
            guard try !MigrationFolder.holdsMigrations(folder, layout: nil) else {
                throw LockstepError(
                    .alreadyExists, "\(folder) already holds migrations",
                    advice: """
                        record the version whose schema the database has with \(.recordVersion), or name another folder
                        """,
                    context: .file(folder))
            }
        }
        let script = try script(of: connection)
        let draft = try MigrationDraft(firstVersion: "baseline", running: script)
        let set = try MigrationSet(
            name: name ?? MigrationSet.name(of: folder), layout: .native,
            files: draft.files.map { (name: $0.path, content: $0.content) })
        guard let first = set.migrations.first else {
            throw LockstepError(.misuse, "the draft of version 1 has no file")
        }
        try Migrator.requireOwnFile(connection, .seconds(60))
        var files: [FilePath] = []
        do {
            // What the record refuses leaves no file, and a file that cannot be written no record.
            try connection.write { connection in
                try Baseline(set, at: first.version).record(on: connection)
                files = try draft.write(into: folder)
            }
        } catch {
            for file in files { AtomicFile.remove(file) }
            throw error
        }
        return (set, files[0])
    }

    /// The content of a migration that makes the schema of a database. Leaves out the engine's tables and what virtual
    /// tables make themselves.
    /// - Throws: ``LockstepError/Code/alreadyExists`` for a database that records migrations;
    ///   ``LockstepError/Code/migrationMalformed`` for one with sealed columns or without any object.
    static func script(of connection: borrowing Connection) throws -> String {
        try connection.read { connection in
            if let entry = try Ledger.entries(connection).first {
                throw LockstepError(
                    .alreadyExists, "the database already records migrations, of the set \(entry.set)",
                    advice: "give the folder of that set to \(.migrate)", context: .init(set: entry.set))
            }
            if let column = try RegistryTables.claimed(connection).first {
                throw LockstepError(
                    .migrationMalformed,
                    "\(column.table).\(column.name) is sealed, which the script of a schema cannot say",
                    hint: "write version 1 by hand, with the directive `protect` for it")
            }
            let definitions = try SchemaCopy.definitions(of: connection)
            guard !definitions.isEmpty else {
                throw LockstepError(
                    .migrationMalformed, "the database has no tables, so there is nothing to record",
                    hint: "write version 1, and migrate the database to it")
            }
            return definitions.map { definition in
                let sql = withoutDirectives(definition)
                // A comment at the end would hide the semicolon.
                let isCommented = sql.split(separator: "\n").last?.contains("--") == true
                return sql + (isCommented ? "\n;\n" : ";\n")
            }.joined()
        }
    }

    private static let leftOut = Array("-- left out: a comment in the form of a directive".utf8)

    /// A definition without the comments that are directives or markers of a migration file: they are the words of the
    /// database's author, who may not say what a migration does.
    private static func withoutDirectives(_ sql: String) -> String {
        let bytes = Array(sql.utf8)
        var result: [UInt8] = []
        for token in SQLTokens(bytes, from: 0) {
            let text = String(decoding: bytes[token.range], as: UTF8.self)
            let isDirective =
                token.kind == .comment && (Directive.content(of: text) != nil || MarkerOwner(of: text) != nil)
            result += isDirective ? leftOut : Array(bytes[token.range])
        }
        return String(decoding: result, as: UTF8.self)
    }
}
