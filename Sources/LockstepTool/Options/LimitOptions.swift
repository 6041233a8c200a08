import ArgumentParser
import Lockstep

/// Limits on a command's time and on SQLite's memory.
struct LimitOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "End with an error after this time: a number with ms, s, m or h, such as 30s.",
            discussion:
                "The time counts from the command's start and includes opening the keyrings.",
            valueName: "time"),
        transform: TimeLimit.init)
    var timeout: TimeLimit?

    @Option(
        help: ArgumentHelp(
            "End with an error if SQLite needs more memory: bytes, or a number with K, M or G; at least 32M.",
            valueName: "size"),
        transform: Self.memory)
    var maxMemory: Int?

    private static func memory(_ text: String) throws -> Int {
        let bytes = try MemorySize.bytes(text)
        guard bytes >= MemoryLimit.smallest else {
            throw ValidationError("SQLite needs at least 32M")
        }
        return bytes
    }

    /// Starts the limits of a command whose statements notice neither: SQLite refuses the memory, and the process ends
    /// after the time. What it has not committed the next command undoes, as after a kill.
    func start() throws { _ = try begin() }

    /// Starts the limits. Call this first: SQLite counts its memory only from its initialization.
    func begin() throws -> Limits {
        if let maxMemory { try MemoryLimit.set(maxMemory) }
        if let timeout { Watchdog.start(after: timeout.duration) }
        return Limits(timeout: timeout, deadline: timeout.map { .now + $0.duration }, memory: maxMemory)
    }
}

/// The limits of the running command.
struct Limits {
    private let timeout: TimeLimit?
    /// When the command must end.
    let deadline: ContinuousClock.Instant?
    /// How many bytes SQLite may use.
    let memory: Int?

    fileprivate init(timeout: TimeLimit?, deadline: ContinuousClock.Instant?, memory: Int?) {
        self.timeout = timeout
        self.deadline = deadline
        self.memory = memory
    }

    /// The maximum length of a value written to standard output. The tool's own copies of it do not count as SQLite's
    /// memory.
    var valueLength: Int? { memory.map { $0 / 16 } }

    /// Applies the limits to a connection.
    func apply(to options: inout ConnectionOptions) {
        options.deadline = deadline
        if let timeout { options.busyTimeout = min(options.busyTimeout, timeout.duration) }
    }

    /// A wait that ends with the time limit, in whole seconds.
    func seconds(atMost wait: Int) -> Int {
        guard let timeout else { return wait }
        return min(wait, Int(clamping: timeout.duration.components.seconds) + 1)
    }

    /// Runs `body`. An error caused by a limit names the option that sets the limit.
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
                "a value is longer than the \(valueLength) bytes that --max-memory allows: \(error.message)",
                hint: "raise --max-memory: one value may take a sixteenth of it", context: error.context)
        }
    }

    /// SQLITE_TOOBIG.
    private static let tooBig: Int32 = 18
}
