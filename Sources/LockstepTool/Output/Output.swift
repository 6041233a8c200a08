import ArgumentParser
import FoundationEssentials
import Lockstep
import Synchronization
import SystemPackage

/// The format of results.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    /// For people.
    case text
    /// For programs: one JSON object on standard output. Fields are only ever added.
    case json
}

/// What commands print that a test runs within its own process, and what it does beside them.
final class OutputSink: Sendable {
    /// The lines of both outputs.
    let text = Mutex("")
    /// Called at each step of a command that can be interrupted.
    let atStep: @Sendable () -> Void

    init(atStep: @escaping @Sendable () -> Void = {}) { self.atStep = atStep }

    func write(_ text: String) { self.text.withLock { $0 += text } }
}

/// Standard output for results, standard error for everything else.
enum Output {
    /// Takes the output of a command that is no process of its own, which then leaves the process's signals alone, too.
    @TaskLocal static var sink: OutputSink?

    /// A line for people.
    static func line(_ text: String = "") { part("\(printable(text))\n") }

    /// A JSON object on a separate line.
    static func json(_ value: some Encodable) throws { part(try encoded(value) + "\n") }

    /// JSON on one line, with fields in alphabetical order. It can also go to a terminal, so characters that control
    /// one are escaped in the way that JSON parsers undo.
    static func encoded(_ value: some Encodable) throws -> String {
        let text = String(decoding: try encoder.encode(value), as: UTF8.self)
        // Outside ASCII, JSON contains only the content of its strings.
        return escaping(text) { scalar in
            "\\u" + scalar.value.padded(to: 4, radix: 16)
        }
    }

    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()

    /// A piece of JSON.
    static func part(_ text: String) {
        if let sink { return sink.write(text) }
        result.withLock { $0.write(text) }
    }

    /// Writes the buffered output now, so that a reader sees the progress.
    static func flush() { result.withLock { $0.flush() } }

    /// Writes the remaining output. A result that cannot be written is a failure.
    static func finish() throws {
        guard let failure = result.withLock({ $0.finish() }) else { return }
        throw LockstepError(
            .inputOutput, "standard output cannot be written: \(failure)",
            hint: "the result is incomplete: free some space, or write it elsewhere")
    }

    static func note(_ text: String) {
        if let sink { return sink.write("\(printable(text))\n") }
        // If standard error is closed, the text has nowhere to go.
        _ = try? FileDescriptor.standardError.writeAll("\(printable(text))\n".utf8)
    }

    /// Says that opening a database has set its damaged log aside, if it has.
    static func notice(of setAside: SetAsideLog?, _ database: FilePath) {
        guard let setAside else { return }
        let lost =
            setAside.lostCommits > 0
            ? "\(setAside.lostCommits == 1 ? "1 commit" : "\(setAside.lostCommits) commits")" : "commits"
        note(
            "warning: the write-ahead log of \(database) is damaged, and \(lost) in it cannot be reached: "
                + "the database and its log were set aside as \(setAside.copy)")
        note("hint: `lockstep salvage` of \(database) recovers what is there")
    }

    static func error(_ error: LockstepError) {
        note("error: \(error.message)")
        if let advice = error.advice { note("hint: \(advice.typed)") }
    }

    private static let result = Mutex(ResultStream())

    /// Text from a database, made safe for a terminal: control characters are escaped.
    static func printable(_ text: String) -> String {
        escaping(text) { "\\u{\(String($0.value, radix: 16))}" }
    }

    private static func escaping(
        _ text: String, _ escape: (Unicode.Scalar) -> String
    ) -> String {
        // Most texts need no escapes, and bytes are fast to check.
        guard !text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }), text.unicodeScalars.contains(where: isCommanding)
        else { return text }
        var safe = ""
        for scalar in text.unicodeScalars {
            if isCommanding(scalar) {
                safe += escape(scalar)
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    /// Whether a character controls a terminal (C0, DEL and C1), changes the text direction, or ends a line.
    private static func isCommanding(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x7F else { return scalar.value < 0x20 }
        guard scalar.value > 0x9F else { return true }
        return scalar.properties.isBidiControl || scalar.value == 0x2028 || scalar.value == 0x2029
    }

    /// A number with its noun, which is given in the plural: `1 film`, `2 films`.
    static func amount(_ number: Int, of plural: String) -> String {
        guard number == 1, !plural.contains(" ") else { return "\(number) \(plural)" }
        return "1 \(plural.dropLast())"
    }

    /// A duration, formatted for people.
    static func duration(_ duration: Duration) -> String {
        let microseconds = duration.wholeMicroseconds
        return microseconds < 10_000
            ? "\(microseconds / 1000).\(microseconds % 1000 / 100) ms"
            : "\(microseconds / 1000) ms"
    }
}

/// Standard output, buffered into large writes.
private struct ResultStream {
    private var waiting: [UInt8] = []
    private var failure: Errno?

    mutating func write(_ text: String) {
        waiting.append(contentsOf: text.utf8)
        if waiting.count > 65_536 { flush() }
    }

    /// Flushes the rest and returns the first failure, if any.
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
