import Lockstep
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Prompts on the terminal itself, whatever standard input is.
enum Terminal {
    private static let device: FilePath = "/dev/tty"

    /// Whether there is a terminal to ask on.
    static var isPresent: Bool {
        guard let terminal = try? FileDescriptor.open(device, .readWrite, options: .closeOnExec) else { return false }
        try? terminal.close()
        return true
    }

    /// Asks once, without echo.
    /// - Parameter option: The option that passes the passphrase if there is no terminal.
    static func passphrase(
        _ prompt: String, instead option: String = "--passphrase-fd"
    ) throws -> Passphrase {
        try Passphrase(secret(prompt, instead: option))
    }

    /// The same for a secret that can be something else than a passphrase.
    static func secret(_ prompt: String, instead option: String) throws -> SecretBytes {
        guard
            let terminal = try? FileDescriptor.open(device, .readWrite, options: .closeOnExec)
        else {
            throw LockstepError(
                .noUsableSlot, "there is no terminal to prompt for the passphrase",
                hint: "pass it through a descriptor, such as \(option) 3 3<FILE")
        }
        defer { try? terminal.close() }
        return try secret(prompt, on: terminal)
    }

    /// Asks once, without echo, for a secret that can be short or empty, such as a PIN.
    static func secret(_ prompt: String) throws -> SecretBytes {
        let terminal = try open()
        defer { try? terminal.close() }
        return try secret(prompt, on: terminal)
    }

    private static func secret(
        _ prompt: String, on terminal: FileDescriptor
    ) throws -> SecretBytes {
        try withoutEcho(terminal) {
            try terminal.writeAll("\(Output.printable(prompt)): ".utf8)
            let secret = try readLine(from: terminal)
            try terminal.writeAll("\n".utf8)
            return secret
        }
    }

    /// Asks for a line with echo, up to 4096 bytes.
    static func line(_ prompt: String) throws -> String {
        let terminal = try open()
        defer { try? terminal.close() }
        try terminal.writeAll("\(Output.printable(prompt)): ".utf8)
        var line: [UInt8] = []
        while line.count < 4096, let key = try readKey(from: terminal) {
            if key == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(key)
        }
        guard line.count == 4096 else {
            throw LockstepError(.interrupted, "the terminal was closed before an answer")
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Asks until the answer is 1 or 2. If there is no choice, asks for the return key.
    static func confirm(_ text: String, yes: String, no: String?) throws -> Bool {
        guard let no else {
            _ = try line("\(text) (return for “\(yes)”)")
            return true
        }
        while true {
            switch try line("\(text) (1 for “\(yes)”, 2 for “\(no)”)") {
            case "1": return true
            case "2": return false
            default: continue
            }
        }
    }

    private static func open() throws -> FileDescriptor {
        try FileDescriptor.open(device, .readWrite, options: .closeOnExec)
    }

    /// Asks twice; the answers must match.
    static func newPassphrase(_ prompt: String) throws -> Passphrase {
        let first = try passphrase(prompt)
        let second = try passphrase("\(prompt), again")
        guard first.matches(second) else {
            throw LockstepError(.secretUnsuitable, "the two passphrases differ", hint: "run it again")
        }
        return first
    }

    /// Turns off signals together with the echo, because an interrupt would leave the echo off. Keys arrive one by one,
    /// because Ctrl-C would otherwise wait for the end of the line.
    private static func withoutEcho<Result: ~Copyable>(
        _ terminal: FileDescriptor, _ body: () throws -> Result
    ) throws -> Result {
        var before = termios()
        guard unsafe tcgetattr(terminal.rawValue, &before) == 0 else {
            throw LockstepError(.inputOutput, "the terminal's settings cannot be read")
        }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO | ISIG | ICANON)
        unsafe withUnsafeMutableBytes(of: &silent.c_cc) { characters in
            unsafe characters[Int(VMIN)] = 1
            unsafe characters[Int(VTIME)] = 0
        }
        guard unsafe tcsetattr(terminal.rawValue, TCSAFLUSH, &silent) == 0 else {
            throw LockstepError(.inputOutput, "the terminal's echo cannot be switched off")
        }
        defer { unsafe tcsetattr(terminal.rawValue, TCSAFLUSH, &before) }
        return try body()
    }

    /// Reads up to the end of the line. Backspace and Ctrl-U work as usual.
    private static func readLine(from terminal: FileDescriptor) throws -> SecretBytes {
        var line = try SecretBytes(zeroed: 4097)
        var length = 0
        while length < line.count {
            let key = try readKey(from: terminal)
            var bytes = line.mutableBytes
            switch key {
            case nil, 0x03:
                throw LockstepError(.interrupted, "no passphrase was given")
            case 0x0A, 0x0D, 0x04:
                return try SecretBytes(copying: line.bytes.extracting(first: length))
            case 0x15:
                length = 0
            case 0x08, 0x7F:
                // Delete all bytes of a multi-byte character.
                while length > 0 {
                    length -= 1
                    if bytes[length] & 0xC0 != 0x80 { break }
                }
            case .some(let byte):
                bytes[length] = byte
                length += 1
            }
        }
        return line
    }

    /// Nil if the terminal was closed.
    private static func readKey(from terminal: FileDescriptor) throws -> UInt8? {
        var key = try SecretBytes(zeroed: 1)
        var target = key.mutableBytes
        let count = try unsafe target.withUnsafeMutableBytes {
            try unsafe terminal.read(into: $0)
        }
        return count > 0 ? key.bytes[0] : nil
    }
}
