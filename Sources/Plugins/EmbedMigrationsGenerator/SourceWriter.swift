/// Turns migration sets into a Swift source file.
enum SourceWriter {
    static func source(of sets: [EmbeddedSet]) -> String {
        let properties = PropertyName.of(sets.map(\.name))
        var lines = [
            "// Made by the EmbedMigrations plugin from the folder Migrations. Do not edit.",
            "import Lockstep",
            "",
            "/// The migration sets that are compiled into this module.",
            "enum EmbeddedMigrations {",
            "    /// The names of the sets.",
            "    static let names: [String] = [\(sets.map { literal($0.name) }.joined(separator: ", "))]", "",
        ]
        for set in sets {
            guard let property = properties[set.name] else { continue }
            lines += [
                "    /// The set \(set.name), in the layout that its files show.",
                "    static var \(property): MigrationSet {",
                "        get throws(LockstepError) {",
                "            try MigrationSet(name: \(literal(set.name)), files: files(of: \(literal(set.name))))",
                "        }",
                "    }",
                "",
            ]
        }
        lines += [
            "    /// The set of this name, or nil if there is none.",
            "    /// - Parameters:",
            "    ///   - layout: The layout of its file names and markers; detected from the files by default.",
            "    ///   - engine: The engine that it is for, which chooses between a version's files.",
            "    static func set(",
            "        _ name: String, layout: MigrationLayout? = nil, engine: DatabaseEngine = .sqlite",
            "    ) throws(LockstepError) -> MigrationSet? {",
            "        guard place(of: name) != nil else { return nil }",
            "        return try MigrationSet(name: name, layout: layout, files: files(of: name), engine: engine)",
            "    }",
            "",
            "    // By bytes: Swift takes canonically equivalent names for equal.",
            "    private static func place(of set: String) -> Int? {",
            "        names.firstIndex { $0.utf8.elementsEqual(set.utf8) }",
            "    }",
            "",
            "    private static func files(of set: String) -> [(name: String, content: String)] {",
            "        switch place(of: set) {",
        ]
        for (place, set) in sets.enumerated() {
            lines.append("        case \(place): [")
            for file in set.files {
                lines.append("                (name: \(literal(file.name)), content:")
                lines.append("                    \(literal(file.content))),")
            }
            lines.append("            ]")
        }
        lines += ["        default: []", "        }", "    }", "}", ""]
        return lines.joined(separator: "\n")
    }

    /// A literal that keeps every byte: a multi-line literal would change line endings.
    private static func literal(_ text: String) -> String {
        var escaped = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            case "\t": escaped += "\\t"
            case "\"": escaped += "\\\""
            case "\\": escaped += "\\\\"
            case " "..."~": escaped.unicodeScalars.append(scalar)
            default: escaped += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return escaped + "\""
    }
}
