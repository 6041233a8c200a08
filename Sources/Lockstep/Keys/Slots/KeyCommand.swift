#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif
internal import SystemPackage

/// A program that prints a secret, so that a key-management service or a hardware module can open a slot.
///
/// It runs exactly as given, without a shell. The reader chooses the program; it is never stored in a keyring, because
/// otherwise anyone who can write the file could run programs.
public struct KeyCommand: Sendable, Hashable {
    /// The program's absolute path and its arguments.
    public let arguments: [String]
    /// The time limit in milliseconds. The default of 30 s leaves time to touch a device.
    public var timeout: Int32 = 30_000

    /// Names a program by its absolute path and arguments.
    /// - Throws: ``LockstepError/Code/commandFailed`` unless the path is absolute.
    public init(_ arguments: [String]) throws(LockstepError) {
        guard let program = arguments.first, program.begins(with: "/"), arguments.allSatisfy({ !$0.utf8.contains(0) })
        else {
            throw LockstepError(
                .commandFailed, "a command must be an absolute path and arguments without NUL bytes",
                hint: "give the full path of the program, such as /usr/bin/cat")
        }
        self.arguments = arguments
    }

    /// Runs the program and uses its output to open a command slot.
    /// - Throws: as in ``output()``; ``LockstepError/Code/secretUnsuitable`` if it prints fewer than 32 bytes.
    public func credential() throws -> Credential { try Credential.command(output: output()) }

    /// Runs the program and returns its exact output, at most 4096 bytes.
    ///
    /// Its standard input is empty, and it shares this program's standard error.
    /// - Throws: ``LockstepError/Code/commandFailed`` if it cannot be run, fails, takes too long or prints
    ///   too much.
    public func output() throws -> SecretBytes {
        let pipe = try translatingErrno("make a pipe for", FilePath(arguments[0])) {
            try FileDescriptor.pipe()
        }
        // Otherwise any program started in the meantime would keep the pipe open.
        for end in [pipe.readEnd, pipe.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
        defer { try? pipe.readEnd.close() }
        let child: pid_t
        do {
            child = try spawn(writingTo: pipe.writeEnd)
            try? pipe.writeEnd.close()
        } catch {
            throw cleaningUp(after: error, isBestEffort: true) { try pipe.writeEnd.close() }
        }
        do {
            return try output(of: child, pipe.readEnd)
        } catch {
            // If the program has already ended and was reaped, its process id is no longer valid.
            if !(error is Ended) {
                _ = kill(child, SIGKILL)
                Self.reap(child)
            }
            throw (error as? Ended)?.failure ?? error
        }
    }

    /// The program has ended with a failure.
    private struct Ended: Error {
        let failure: LockstepError
    }

    private func output(of child: pid_t, _ input: FileDescriptor) throws -> SecretBytes {
        let deadline = Clock.monotonicMicroseconds / 1000 + Int64(timeout)
        let output = try read(input, until: deadline)
        let status = try end(of: child, until: deadline)
        guard status == 0 else {
            throw Ended(failure: failed(status & 0x7F == 0 ? "exited with status \(status >> 8 & 0xFF)" : "was killed"))
        }
        return output
    }

    private func spawn(writingTo output: FileDescriptor) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = unsafe posix_spawn_file_actions_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output.rawValue, 1)
        var child: pid_t = 0
        let strings = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe strings.forEach { unsafe free($0) } }
        let code = unsafe posix_spawn(&child, arguments[0], &actions, nil, strings, environ)
        guard code == 0 else {
            throw failed("cannot be run (error \(code))")
        }
        return child
    }

    private func read(
        _ input: FileDescriptor, until deadline: Int64
    ) throws -> SecretBytes {
        var buffer = try SecretBytes(zeroed: Credential.longestSecret + 1)
        var filled = 0
        while true {
            let left = deadline - Clock.monotonicMicroseconds / 1000
            var waiting = pollfd(fd: input.rawValue, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&waiting, 1, Int32(clamping: max(left, 0)))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { throw tookTooLong }
            var target = buffer.mutableBytes
            let count = try translatingErrno("read", FilePath(arguments[0])) {
                try unsafe target.withUnsafeMutableBytes { bytes in
                    try unsafe input.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]))
                }
            }
            if count == 0 { break }
            filled += count
            guard filled < buffer.count else {
                throw failed("printed more than \(Credential.longestSecret) bytes")
            }
        }
        return try buffer.prefix(filled)
    }

    /// Waits for the program. It usually ends when it closes its output; otherwise the time limit applies.
    private func end(of child: pid_t, until deadline: Int64) throws -> Int32 {
        var status: Int32 = 0
        while true {
            let ended = unsafe waitpid(child, &status, WNOHANG)
            if ended == child { return status }
            guard ended == 0 || errno == EINTR else { throw failed("could not be waited for") }
            guard Clock.monotonicMicroseconds / 1000 < deadline else { throw tookTooLong }
            _ = poll(nil, 0, 1)
        }
    }

    private var tookTooLong: LockstepError { failed("took longer than \(timeout) ms") }

    private static func reap(_ child: pid_t) {
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
    }

    private func failed(_ what: String) -> LockstepError {
        LockstepError(
            .commandFailed, "the command \(arguments[0]) \(what)",
            hint: "run it by hand; it must print only the secret on standard output"
        )
    }
}
