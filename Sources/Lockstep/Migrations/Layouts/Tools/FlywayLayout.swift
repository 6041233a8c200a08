// Rules: ResourceNameParser, ResourceNameValidator, MigrationVersion, Event and PlaceholderReplacingReader of
// Flyway, and its pages "Script Configuration" and "Baseline migrations". A name is V, U or B, a version with
// dots or single underscores, two underscores, a description, `.sql` in any case; or R, two underscores, a
// description; or the name of an event, which makes the file a callback. Other files are ignored. Subfolders are
// read. Repeatable migrations run after the versions, in the order of their descriptions.

/// `V<version>__<name>.sql`, with `U…`, `R__…` and `B…`.
enum FlywayLayout: LayoutRules {
    static let reach = MigrationFolder.Reach.tree
    static let firstVersion: String? = "1"

    static func isSettings(_ name: Substring) -> Bool { FlywaySettings.isName(name) }

    static func read(_ sources: [MigrationSource]) throws(LockstepError) -> LayoutContents {
        var contents = LayoutContents()
        var pairs = UpDownPairs(.flyway)
        let settings = try FlywaySettings.all(in: sources)
        for source in sources {
            if let language = language(of: source) {
                contents.code.append(try code(source, language))
            }
            guard source.isSQL else { continue }
            let stem = source.name.dropLast(4)
            try requireNoCallback(stem, source)
            guard let name = PrefixedName(stem) else {
                // Flyway's prefixes are upper case; a lower-case prefix is a mistake.
                guard !PrefixedName.isMeant(stem), !NumberedName.isLikely(stem) else {
                    throw misnamed(source)
                }
                contents.ignoredFiles.append(source.path)
                continue
            }
            let own = settings[ExactText(source.path)] ?? FlywaySettings()
            if own.replacesPlaceholders { try requireNoPlaceholder(source) }
            switch name.prefix {
            case .version:
                pairs.addUp(try version(name, source), name.description, source, inTransaction: own.runsInTransaction)
            case .undoOrLate:
                try pairs.addDown(
                    try version(name, source), name.description, source, inTransaction: own.runsInTransaction)
            case .baseline:
                contents.baselines.append(
                    try file(try version(name, source), name, source, own, .baseline))
            case .repeatable:
                guard name.version.isEmpty, !name.description.isEmpty else {
                    throw misnamed(source)
                }
                contents.repeatables.append(
                    try file(.unversioned, name, source, own, .repeatable))
            }
        }
        contents.versions = try pairs.files()
        contents.repeatables.sort { ExactText($0.name) < ExactText($1.name) }
        contents.baselines.sort { $0.version < $1.version }
        return contents
    }

    static func draft(
        _ version: String, _ name: String, in set: MigrationSet
    ) -> [(path: String, content: String)] {
        [("V\(version)__\(name).sql", "")]
    }

    private static func file(
        _ version: MigrationVersion, _ name: PrefixedName, _ source: MigrationSource,
        _ settings: FlywaySettings, _ kind: MigrationFile.Kind
    ) throws(LockstepError) -> MigrationFile {
        try MigrationFile(
            version, name: name.description, source,
            up: MigrationFileParser.parseWhole(
                source, as: .flyway, inTransaction: settings.runsInTransaction),
            kind: kind)
    }

    /// A program that implements a version; programs for anything else are refused.
    private static func code(
        _ source: MigrationSource, _ language: String
    ) throws(LockstepError) -> ExternalCode {
        let stem = source.name.prefix(upTo: source.name.lastIndex(of: ".") ?? source.name.endIndex)
        guard let name = PrefixedName(stem), name.prefix == .version else {
            throw ExternalCode.refusal(source, language)
        }
        return ExternalCode(version: try version(name, source), fileName: source.path, language: language)
    }

    private static func version(
        _ name: PrefixedName, _ source: MigrationSource
    ) throws(LockstepError) -> MigrationVersion {
        let dotted = String(name.version.map { $0 == "_" ? "." : $0 })
        guard let version = MigrationVersion(dotted) else { throw misnamed(source) }
        return version
    }

    private static func misnamed(_ source: MigrationSource) -> LockstepError {
        source.malformed(
            "is not named like a migration of Flyway",
            hint: "name it V<version>__<name>.sql, such as V1.2__add_ratings.sql, or "
                + "R__<name>.sql for a migration that runs again whenever it changes")
    }

    /// Programs that Flyway runs in place of SQL.
    private static func language(of source: MigrationSource) -> String? {
        guard let dot = source.name.lastIndex(of: "."),
            PrefixedName.isMeant(source.name[..<dot]), source.name.contains("__")
        else { return nil }
        switch source.name[dot...].asciiLowercased {
        case ".java", ".class": return "Java"
        case ".kt": return "Kotlin"
        case ".groovy": return "Groovy"
        case ".py", ".sh", ".bash", ".bat", ".cmd", ".ps1": return "a script language"
        default: return nil
        }
    }

    /// Flyway runs callbacks around its own steps. Ignoring them would change the result of a run.
    private static func requireNoCallback(
        _ stem: Substring, _ source: MigrationSource
    ) throws(LockstepError) {
        let event = stem.prefix { $0 != "_" }
        let isCallback =
            event == "createSchema"
            || ["before", "after"].contains { start in
                event.rest(after: start)?.first?.isUppercase == true
            }
        guard !isCallback else {
            throw source.malformed(
                "is a Flyway callback, which this program does not run",
                hint: "move its statements into the versions, and move the file away")
        }
    }

    /// Flyway replaces placeholders anywhere in the text, and fails if a placeholder has no value.
    private static func requireNoPlaceholder(_ source: MigrationSource) throws(LockstepError) {
        let bytes = Array(try source.text().utf8)
        // A placeholder in a comment has no effect.
        let comments = SQLTokens(bytes, from: 0, source.engine.lexis).filter { $0.kind == .comment }.map(\.range)
        let place = bytes.indices.dropLast().first { index in
            bytes[index] == UInt8(ascii: "$") && bytes[index + 1] == UInt8(ascii: "{")
                && !comments.contains { $0.contains(index) }
        }
        guard let place else { return }
        let line = bytes[..<place].count { $0 == UInt8(ascii: "\n") } + 1
        throw source.origin.malformed(
            "the placeholder ${…} has no value", line: line,
            hint: "write the value into the file; if it is literal text, put "
                + "placeholderReplacement=false into \(source.path).conf")
    }
}
