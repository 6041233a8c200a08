import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Recipients and identities in age's notation.
struct IdentityTests {
    /// Those of 32 bytes of 0x42, as age spells them.
    private static let identity = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
    private static let recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"

    private static func parse(_ text: String) throws -> Identity {
        try Identity(parsing: Secrets.make(text))
    }

    @Test(
        "An identity file is read as age-keygen writes it",
        arguments: [
            identity, identity + "\n", "\n\(identity)\r\n", "  \(identity)\t\n",
            "# created: 2026-11-22T10:00:00Z\n# public key: \(recipient)\n\(identity)\n# end", identity.lowercased(),
        ])
    func reading(_ text: String) throws {
        #expect(try Self.parse(text).recipient.description == Self.recipient)
    }

    @Test(
        "A text without an identity, or with more than one, is refused",
        arguments: [
            "", "\n", "# only a remark", recipient, String(identity.dropLast()), identity + "q",
            "\(identity)\n\(identity)", "AGE-SECRET-KEY-1", "age-secret-key-1" + identity.dropFirst(16),
            identity.replacingOccurrences(of: "Q4E", with: "Q4F"),
        ])
    func refused(_ text: String) throws {
        Refusal.expect(.identityMalformed) { _ = try Self.parse(text) }
    }

    @Test("A recipient is read and printed")
    func recipients() throws {
        let recipient = try Recipient(Self.recipient)
        #expect(recipient.description == Self.recipient)
        #expect(try recipient == Self.parse(Self.identity).recipient)
        #expect(try recipient.tag().count == 8)
    }

    @Test(
        "A text that is not a recipient is refused, and the error does not repeat it",
        arguments: [
            "", "age1", recipient.uppercased(), identity, String(recipient.dropLast()),
            recipient + " ",
            recipient.replacingOccurrences(of: "zvk", with: "zvl"),
        ])
    func notARecipient(_ text: String) {
        Refusal.expect(.recipientMalformed) { _ = try Recipient(text) }
        let error = #expect(throws: LockstepError.self) { _ = try Recipient(text) }
        #expect(text.count < 10 || error.map { !"\($0)".contains(text) } == true)
    }

    @Test("A new identity's file is its owner's, and is read again")
    func files() throws {
        let folder = try TemporaryFolder()
        let identity = try Identity.generate()
        try identity.create(folder.file("me.identity"))
        #expect(try DatabaseScratch.mode(of: folder.file("me.identity")) == 0o600)
        let text = try String(
            contentsOfFile: folder.file("me.identity").string, encoding: .utf8)
        #expect(text.hasPrefix("# recipient: \(identity.recipient)\nAGE-SECRET-KEY-1"))
        #expect(try Identity.read(folder.file("me.identity")).recipient == identity.recipient)
        Refusal.expect(.alreadyExists) { try identity.create(folder.file("me.identity")) }
        let other = try Identity.generate()
        #expect(other.recipient != identity.recipient)
    }

    @Test("A file that others can read is refused")
    func permissions() throws {
        let folder = try TemporaryFolder()
        try Identity.generate().create(folder.file("me.identity"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: folder.file("me.identity").string)
        Refusal.expect(.permissionsTooOpen) { _ = try Identity.read(folder.file("me.identity")) }
    }
}
