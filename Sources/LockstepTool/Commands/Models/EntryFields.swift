import ArgumentParser
import FoundationEssentials
import Lockstep
import SystemPackage

/// The fields of an entry, as the user gives them.
struct EntryFieldOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "A field and its value. The process list shows them: use --json for what is secret.",
            valueName: "field=value"))
    var assignments: [String] = []

    @Option(
        name: .customLong("json"),
        help: ArgumentHelp(
            "A file with a JSON object of fields; - for standard input.", valueName: "file"))
    var file: String?

    /// The help of a command that takes them.
    static func discussion<Commands: ModelCommands>(_: Commands.Type) -> String {
        let fields = "Fields: \(Commands.fieldNames.joined(separator: ", "))."
        return Commands.advice.isEmpty ? fields : "\(fields) \(Commands.advice)"
    }

    private static let largest = 64 * 1024 * 1024

    func fields<Commands: ModelCommands>(of _: Commands.Type) throws -> EntryFields {
        var values: [String: String?] = [:]  // exact: names of fields, which the source has
        if let file {
            let bytes =
                file == "-"
                ? try StandardInput.read(limit: Self.largest) : try FileAccess.read(FilePath(file), limit: Self.largest)
            values = try Self.object(bytes)
        }
        for text in assignments {
            let parts = text.pieces(between: "=", atMost: 1)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw ValidationError("expected FIELD=VALUE")
            }
            values[String(parts[0])] = String(parts[1])
        }
        guard !values.isEmpty else {
            throw ValidationError("give at least one field, as FIELD=VALUE or with --json")
        }
        for name in values.keys.sorted() where !Commands.fieldNames.contains(name) {
            throw ValidationError(
                "a \(Commands.entry) has no field \(Output.printable(name)): it has "
                    + Commands.fieldNames.joined(separator: ", "))
        }
        return EntryFields(entry: Commands.entry, values: values)
    }

    // exact: names of fields, which the source has
    private static func object(_ bytes: [UInt8]) throws -> [String: String?] {
        do {
            // exact: names of fields, which the source has
            return try JSONDecoder().decode([String: Scalar].self, from: Data(bytes))
                .mapValues(\.text)
        } catch {
            throw LockstepError(
                .malformedInput, "the fields are not a JSON object of texts, numbers and null",
                hint: "give an object such as {\"text\": \"…\"}")
        }
    }

    /// A JSON value that is one field.
    private struct Scalar: Decodable {
        let text: String?

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                text = nil
            } else if let flag = try? container.decode(Bool.self) {
                text = flag ? "1" : "0"
            } else if let number = try? container.decode(Int64.self) {
                text = String(number)
            } else {
                text = try container.decode(String.self)
            }
        }
    }
}

/// The fields of an entry that a command inserts or changes.
struct EntryFields {
    let entry: String
    let values: [String: String?]  // exact: names of fields, which the source has

    /// The text of a field, and nil if it was not given or is null.
    func text(_ name: String) -> String? { values[name] ?? nil }

    /// Sets a property if the field was given; null is an empty text.
    func set(_ property: inout String, _ name: String) {
        if let value = values[name] { property = value ?? "" }
    }

    /// Sets a property if the field was given; an empty text is none.
    func set(_ property: inout String?, _ name: String) {
        if let value = values[name] { property = value?.isEmpty == true ? nil : value }
    }

    /// Sets a property if the field was given.
    func set(_ property: inout Int, _ name: String) throws {
        if let value = values[name] { property = try number(value, name) }
    }

    /// Sets a property if the field was given: 0 or 1.
    func set(_ property: inout Bool, _ name: String) throws {
        guard let value = values[name] else { return }
        guard let flag = ["0": false, "1": true, "false": false, "true": true][value ?? ""] else {
            throw ValidationError("\(name) is 0 or 1")
        }
        property = flag
    }

    func number<Number: FixedWidthInteger>(_ text: String?, _ name: String) throws -> Number {
        guard let number = Number(text ?? "") else {
            throw ValidationError("\(name) is a whole number")
        }
        return number
    }

    /// Requires a field that an entry cannot be without.
    func require(_ name: String) throws -> String {
        guard let value = text(name), !value.isEmpty else {
            throw ValidationError("a \(entry) needs the field \(name)")
        }
        return value
    }

    /// The error for an entry that is not there.
    static func missing(_ entry: String, _ id: Int64) -> LockstepError {
        LockstepError(.notFound, "there is no \(entry) with the id \(id)", hint: "`lockstep list` shows the ids")
    }
}
