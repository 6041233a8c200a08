import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct CredentialTests {
    @Test(
        "a key file's content is 32 to 4,096 bytes",
        arguments: [
            (0, false), (31, false), (32, true), (4096, true), (4097, false),
        ])
    func keyFile(_ count: Int, _ fits: Bool) throws {
        let code = try Refusal.code { _ = try Credential.keyFile(SecretBytes(zeroed: count)) }
        #expect(code == (fits ? nil : .secretUnsuitable))
    }

    @Test(
        "a variable's value is 32 to 4,096 bytes",
        arguments: [
            (0, false), (31, false), (32, true), (4096, true), (4097, false),
        ])
    func environment(_ count: Int, _ fits: Bool) throws {
        let code = try Refusal.code {
            _ = try Credential.environment(variable: "KEY", SecretBytes(zeroed: count))
        }
        #expect(code == (fits ? nil : .secretUnsuitable))
    }

    @Test("an error calls the credential by its name and not by its content")
    func names() throws {
        #expect(try Rings.keyFile().name == "key file")
        #expect(try Rings.passphrase("hunter2").name == "passphrase")
        #expect(try Rings.environment("SOME_KEY").name == "environment variable SOME_KEY")
        do {
            _ = try Credential.environment(variable: "SOME_KEY", Secrets.make("hunter2"))
            Issue.record("seven bytes were taken")
        } catch {
            #expect("\(error)".contains("SOME_KEY"))
            #expect(!"\(error)".contains("hunter2"))
        }
    }
}
