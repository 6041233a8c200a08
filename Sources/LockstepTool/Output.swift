import ArgumentParser
import FoundationEssentials
import Lockstep
import SystemPackage

/// How results are told.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    /// For people.
    case text
    /// For programs: one JSON object on standard output. Fields are only ever added.
    case json
}

/// Standard output for results, standard error for everything else.
enum Output {
    static func line(_ text: String = "") { print(text) }

    static func json(_ value: some Encodable) throws { print(try encoded(value)) }

    /// JSON on one line, fields in alphabetical order.
    static func encoded(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// A piece of a line.
    static func part(_ text: String) { print(text, terminator: "") }

    static func note(_ text: String) { write(text) }

    static func error(_ error: LockstepError) {
        // Names of files and tables may hold control characters, too.
        write("error: \(printable(error.message))")
        if let hint = error.hint { write("hint: \(printable(hint))") }
    }

    /// Text of the database as it may go to a terminal: control characters could command it.
    static func printable(_ text: String) -> String {
        var safe = ""
        for scalar in text.unicodeScalars {
            if scalar.properties.generalCategory == .control || scalar.properties.isBidiControl {
                safe += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    /// Microseconds as people read them.
    static func duration(_ microseconds: Int64) -> String {
        microseconds < 10_000
            ? "\(microseconds / 1000).\(microseconds % 1000 / 100) ms"
            : "\(microseconds / 1000) ms"
    }

    private static func write(_ text: String) {
        // Where standard error is closed there is nobody to tell.
        _ = try? FileDescriptor.standardError.writeAll("\(text)\n".utf8)
    }
}
