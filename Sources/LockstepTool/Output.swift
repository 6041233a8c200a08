import ArgumentParser
import FoundationEssentials
import Lockstep
import Synchronization
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
    /// A line for people.
    static func line(_ text: String = "") { result.withLock { $0.write("\(printable(text))\n") } }

    /// A JSON object on a line of its own.
    static func json(_ value: some Encodable) throws { part(try encoded(value) + "\n") }

    /// JSON on one line, fields in alphabetical order.
    static func encoded(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// A piece of JSON.
    static func part(_ text: String) { result.withLock { $0.write(text) } }

    /// Brings out what there is, for whoever watches.
    static func flush() { result.withLock { $0.flush() } }

    /// Brings out what is left. A result that could not be written is no success.
    static func finish() throws {
        guard let failure = result.withLock({ $0.finish() }) else { return }
        throw LockstepError(
            .inputOutput, "standard output cannot be written: \(failure)",
            hint: "the result is incomplete: free some space, or write it elsewhere")
    }

    static func note(_ text: String) {
        // Where standard error is closed there is nobody to tell.
        _ = try? FileDescriptor.standardError.writeAll("\(printable(text))\n".utf8)
    }

    static func error(_ error: LockstepError) {
        note("error: \(error.message)")
        if let hint = error.hint { note("hint: \(hint)") }
    }

    private static let result = Mutex(ResultStream())

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
}

/// Standard output, collected into large writes.
private struct ResultStream {
    private var waiting: [UInt8] = []
    private var failure: Errno?

    mutating func write(_ text: String) {
        waiting.append(contentsOf: text.utf8)
        if waiting.count > 65_536 { flush() }
    }

    /// The first failure, if there was one.
    mutating func finish() -> Errno? {
        flush()
        return failure
    }

    mutating func flush() {
        do {
            if failure == nil { _ = try FileDescriptor.standardOutput.writeAll(waiting) }
        } catch {
            failure = error as? Errno ?? .ioError
        }
        waiting = []
    }
}
