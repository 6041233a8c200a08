import Lockstep
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Asking for secrets on the terminal itself, whatever standard input is.
enum Terminal {
    private static let device: FilePath = "/dev/tty"

    /// Whether there is a terminal to ask on.
    static var isPresent: Bool {
        guard let terminal = try? FileDescriptor.open(device, .readWrite, options: .closeOnExec)
        else { return false }
        try? terminal.close()
        return true
    }

    /// Asks once, without echo.
    static func passphrase(_ prompt: String) throws -> Passphrase {
        guard
            let terminal = try? FileDescriptor.open(device, .readWrite, options: .closeOnExec)
        else {
            throw LockstepError(
                .noUsableSlot, "there is no terminal to ask for the passphrase on",
                hint: "give it through a descriptor, such as --passphrase-fd 3 3<FILE")
        }
        defer { try? terminal.close() }
        return try withoutEcho(terminal) {
            try terminal.writeAll("\(prompt): ".utf8)
            let secret = try readLine(from: terminal)
            try terminal.writeAll("\n".utf8)
            return try Passphrase(secret)
        }
    }

    /// Asks twice; both answers must be the same.
    static func newPassphrase(_ prompt: String) throws -> Passphrase {
        let first = try passphrase(prompt)
        let second = try passphrase("\(prompt), again")
        guard first.matches(second) else {
            throw LockstepError(
                .secretUnsuitable, "the two passphrases differ", hint: "run it again")
        }
        return first
    }

    /// Signals are off together with the echo, or an interrupt would leave the terminal without it.
    private static func withoutEcho<Result: ~Copyable>(
        _ terminal: FileDescriptor, _ body: () throws -> Result
    ) throws -> Result {
        var before = termios()
        guard unsafe tcgetattr(terminal.rawValue, &before) == 0 else {
            throw LockstepError(.inputOutput, "the terminal's settings cannot be read")
        }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
        guard unsafe tcsetattr(terminal.rawValue, TCSAFLUSH, &silent) == 0 else {
            throw LockstepError(.inputOutput, "the terminal's echo cannot be switched off")
        }
        defer { unsafe tcsetattr(terminal.rawValue, TCSAFLUSH, &before) }
        return try body()
    }

    private static func readLine(from terminal: FileDescriptor) throws -> SecretBytes {
        var line = try SecretBytes(zeroed: 4097)
        var length = 0
        while length < line.count {
            var byte = try SecretBytes(zeroed: 1)
            var target = byte.mutableBytes
            let count = try unsafe target.withUnsafeMutableBytes {
                try unsafe terminal.read(into: $0)
            }
            let read = byte.bytes[0]
            // Ctrl-C arrives as a byte, for the terminal sends no signals now.
            guard count > 0, read != 0x03 else {
                throw LockstepError(.interrupted, "no passphrase was given")
            }
            if read == UInt8(ascii: "\n") { break }
            var bytes = line.mutableBytes
            bytes[length] = read
            length += 1
        }
        return try SecretBytes(copying: line.bytes.extracting(first: length))
    }
}
