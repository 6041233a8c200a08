import ArgumentParser
import Lockstep

/// How long a command may take, and how much memory SQLite may take for it.
struct LimitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "End with an error after this time: a number with ms, s, m or h, such as 30s.",
            discussion: "It counts from the command's start, the opening of keyrings included.",
            valueName: "time"),
        transform: TimeLimit.init)
    var timeout: TimeLimit?

    @Option(
        help: ArgumentHelp(
            "End with an error where SQLite needs more memory: bytes, or a number with K, M or G, from 32M on.",
            valueName: "size"),
        transform: Self.memory)
    var maxMemory: Int?

    private static func memory(_ text: String) throws -> Int {
        let bytes = try MemorySize.bytes(text)
        guard bytes >= MemoryLimit.smallest else {
            throw ValidationError("SQLite needs 32M at least")
        }
        return bytes
    }

    /// Begins to count. Called first of all: SQLite counts its memory only from its start.
    func begin() throws -> Limits {
        if let maxMemory { try MemoryLimit.set(maxMemory) }
        if let timeout { Watchdog.start(after: timeout.duration) }
        return Limits(
            timeout: timeout, deadline: timeout.map { .now + $0.duration }, memory: maxMemory)
    }
}

/// The limits of a command that runs.
struct Limits {
    private let timeout: TimeLimit?
    /// When the command must have ended.
    let deadline: ContinuousClock.Instant?
    /// How many bytes SQLite may take.
    let memory: Int?

    fileprivate init(timeout: TimeLimit?, deadline: ContinuousClock.Instant?, memory: Int?) {
        self.timeout = timeout
        self.deadline = deadline
        self.memory = memory
    }

    /// How long a value may be that goes to standard output: its copies on the way there are not SQLite's.
    var valueLength: Int? { memory.map { $0 / 16 } }

    /// Puts the limits on a connection.
    func apply(to options: inout ConnectionOptions) {
        options.deadline = deadline
        if let timeout { options.busyTimeout = min(options.busyTimeout, timeout.duration) }
    }

    /// Runs `body`; errors of a limit name the option that sets it.
    func naming<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as LockstepError {
            if error.code == .limitExceeded, let timeout, let deadline, .now >= deadline {
                throw error.located("--timeout \(timeout.text)")
            }
            guard error.sqliteCode == Self.tooBig, let valueLength else { throw error }
            throw LockstepError(
                .limitExceeded,
                "a value is longer than the \(valueLength) bytes that --max-memory allows it: \(error.message)",
                hint: "raise --max-memory: one value may take a sixteenth of it")
        }
    }

    /// SQLITE_TOOBIG.
    private static let tooBig: Int32 = 18
}
