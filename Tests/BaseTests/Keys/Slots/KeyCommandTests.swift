import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Programs that print secrets.
struct KeyCommandTests {
    private static let secret = String(repeating: "k", count: 40)

    private static func shell(_ script: String) throws -> KeyCommand {
        try KeyCommand(["/bin/sh", "-c", script])
    }

    private static func output(_ command: KeyCommand) throws -> String {
        String(decoding: Secrets.bytes(of: try command.output()), as: UTF8.self)
    }

    @Test("Its output is the secret, byte for byte")
    func printing() throws {
        #expect(try Self.output(Self.shell("printf 'a b'")) == "a b")
        #expect(try Self.output(Self.shell("echo a; echo b")) == "a\nb\n")
        #expect(try Self.output(Self.shell("printf ''")) == "")
    }

    @Test("Arguments arrive as they are: no shell reads them")
    func arguments() throws {
        let texts = ["%s|", "$HOME", "a b", "; exit 3", "`id`", ""]
        #expect(try Self.output(KeyCommand(["/usr/bin/printf"] + texts)) == "$HOME|a b|; exit 3|`id`||")
    }

    @Test("Standard input is empty, and no descriptor of ours is open in it")
    func descriptors() throws {
        let folder = try TemporaryFolder()
        let file = try FileDescriptor.open(
            folder.file("mine"), .readWrite, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
        defer { try? file.close() }
        #expect(try Self.output(Self.shell("cat; printf done")) == "done")
        // Other tests' descriptors can be open in it, and there can be many.
        let open = try Self.output(Self.shell("ls -l /proc/self/fd 2>/dev/null | grep -c mine || true"))
        #expect(open == "0\n")
    }

    @Test(
        "A program that fails, is killed or does not exist is an error that names it",
        arguments: ["exit 3", "kill -9 $$", "printf hidden; exit 1"])
    func failing(_ script: String) throws {
        let command = try Self.shell(script)
        let error = #expect(throws: LockstepError.self) { _ = try command.credential() }
        #expect(error?.code == .commandFailed)
        #expect(error.map { "\($0)".contains("/bin/sh") && !"\($0)".contains("hidden") } == true)
        let missing = try KeyCommand(["/nonexistent/program"])
        Refusal.expect(.commandFailed) { _ = try missing.credential() }
    }

    @Test("A program that does not end is stopped")
    func timeout() throws {
        var command = try Self.shell("exec sleep 1000")
        command.timeout = 1
        Refusal.expect(.commandFailed) { _ = try command.credential() }
        // A program that closes its output and keeps running is treated alike.
        command = try Self.shell("printf \(Self.secret); exec >&-; exec sleep 1000")
        command.timeout = 100
        Refusal.expect(.commandFailed) { _ = try command.credential() }
    }

    @Test("A secret is at most 4096 bytes", arguments: [31, 32, 4096, 4097, 4098, 1_000_000])
    func length(_ count: Int) throws {
        let command = try Self.shell("head -c \(count) /dev/zero")
        switch count {
        case 32, 4096: #expect(try command.credential().secret.count == count)
        case 31: Refusal.expect(.secretUnsuitable) { _ = try command.credential() }
        default: Refusal.expect(.commandFailed) { _ = try command.credential() }
        }
    }

    @Test("Only an absolute path is run", arguments: [[], ["cat"], ["./cat"], [""], ["/bin/a\0b"]])
    func paths(_ arguments: [String]) {
        Refusal.expect(.commandFailed) { _ = try KeyCommand(arguments) }
    }
}
