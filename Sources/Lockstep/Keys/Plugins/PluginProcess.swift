#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import SystemPackage

/// A plugin's running program: its input and output, within limits of time and length.
///
/// It belongs to one thread. Its deallocation kills the program and its group.
final class PluginProcess {
    /// The maximum output of one run, in bytes.
    static let maximumOutput = 262_144
    /// The time in microseconds that a program gets after its last command before it is killed.
    private static let grace: Int64 = 2_000_000

    private let plugin: Plugin
    private let child: pid_t
    private let input: FileDescriptor
    private let output: FileDescriptor
    private var hasEnded = false
    private var printed = 0
    /// Microseconds spent waiting for it.
    private var spent: Int64 = 0
    private var deadline: Int64 = 0

    /// Whether `program` is a file that this process can run.
    static func canRun(_ program: FilePath) -> Bool {
        var status = stat()
        guard unsafe stat(program.string, &status) == 0 else { return false }
        guard status.st_mode & S_IFMT == S_IFREG else { return false }
        return unsafe access(program.string, X_OK) == 0
    }

    /// Starts the program in a state machine of the protocol.
    init(_ plugin: Plugin, _ stateMachine: String) throws {
        let toChild = try PluginPipe(childReads: true)
        let fromChild = try PluginPipe(childReads: false)
        child = try PluginSpawning.start(
            plugin, ["--age-plugin=\(stateMachine)"], input: toChild.child, output: fromChild.child)
        self.plugin = plugin
        input = toChild.takeOwn()
        output = fromChild.takeOwn()
    }

    deinit { kill() }

    /// Runs `body` within the time limit for one answer.
    func timed<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        let start = Clock.monotonicMicroseconds
        let left = max(plugin.totalTimeout.wholeMicroseconds - spent, 0)
        deadline = start + min(plugin.answerTimeout.wholeMicroseconds, left)
        defer { spent += Clock.monotonicMicroseconds - start }
        return try body()
    }

    /// Writes all of `bytes` to its standard input.
    func write(_ bytes: Span<UInt8>) throws {
        var done = 0
        while done < bytes.count {
            try wait(for: input, POLLOUT)
            let rest = bytes.extracting(done...)
            let count = unsafe rest.withUnsafeBytes {
                unsafe BrokenPipe.write($0, to: input.rawValue)
            }
            if count >= 0 {
                done += count
            } else if errno == EPIPE {
                throw endedEarly()
            } else if errno != EINTR, errno != EAGAIN {
                throw failed("cannot be written to: \(Errno(rawValue: errno))")
            }
        }
    }

    /// Reads its output into `buffer`.
    /// - Returns: The number of bytes, at least one.
    func read(into buffer: inout SecretBytes) throws -> Int {
        while true {
            try wait(for: output, POLLIN)
            var bytes = buffer.mutableBytes
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe PluginSpawning.read(output.rawValue, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count >= 0 else {
                throw failed("cannot be read from: \(Errno(rawValue: errno))")
            }
            guard count > 0 else { throw endedEarly() }
            printed += count
            guard printed <= Self.maximumOutput else {
                throw failed("printed more than \(Self.maximumOutput / 1024) KiB")
            }
            return count
        }
    }

    /// Ends a completed run: the program gets a moment to clean up.
    func finish() {
        closeBoth()
        guard !hasEnded else { return }
        let end = Clock.monotonicMicroseconds + Self.grace
        while Clock.monotonicMicroseconds < end {
            if reap(WNOHANG) != nil { return }
            _ = poll(nil, 0, 1)
        }
        kill()
    }

    /// Kills the program and all processes in its group.
    func kill() {
        closeBoth()
        guard !hasEnded else { return }
        // It was not reaped, so no other process has its id.
        _ = Self.signal(-child)
        _ = reap(0)
    }

    // MARK: Pieces

    private var isClosed = false

    private func closeBoth() {
        guard !isClosed else { return }
        isClosed = true
        try? input.close()
        try? output.close()
    }

    private static func signal(_ group: pid_t) -> Int32 {
        #if canImport(Glibc)
        Glibc.kill(group, SIGKILL)
        #elseif canImport(Darwin)
        Darwin.kill(group, SIGKILL)
        #endif
    }

    private func wait(for descriptor: FileDescriptor, _ events: Int32) throws {
        while true {
            let left = deadline - Clock.monotonicMicroseconds
            guard left > 0 else {
                throw plugin.failed(
                    "took longer than \(plugin.answerTimeout) for an answer, or " + "\(plugin.totalTimeout) in all",
                    hint: "touch the device when it asks; \(.pluginTime) sets a longer limit"
                )
            }
            var waiting = pollfd(fd: descriptor.rawValue, events: Int16(events), revents: 0)
            let ready = unsafe poll(&waiting, 1, Int32(clamping: (left + 999) / 1000))
            if ready > 0 { return }
            guard ready == 0 || errno == EINTR else {
                throw failed("could not be waited for: \(Errno(rawValue: errno))")
            }
        }
    }

    /// The program's status; nil while it runs.
    private func reap(_ options: Int32) -> Int32? {
        var status: Int32 = 0
        while true {
            let ended = unsafe waitpid(child, &status, options)
            if ended < 0, errno == EINTR { continue }
            // If the host program reaps all its children, there is none left here.
            guard ended != 0 else { return nil }
            hasEnded = true
            return ended == child ? status : 0
        }
    }

    /// The error for a program that closed its output or input before it was done.
    private func endedEarly() -> LockstepError {
        var status: Int32?
        let end = Clock.monotonicMicroseconds + Self.grace
        while status == nil, Clock.monotonicMicroseconds < min(end, deadline) {
            status = reap(WNOHANG)
            if status == nil { _ = poll(nil, 0, 1) }
        }
        guard let status else { return failed("closed the connection before it was done") }
        return failed(
            status & 0x7F == 0
                ? "exited with status \(status >> 8 & 0xFF) before it was done"
                : "was killed by signal \(status & 0x7F) before it was done")
    }

    private func failed(_ what: String) -> LockstepError {
        plugin.failed(what, hint: "run it by hand to see whether it works, or reinstall it")
    }
}
