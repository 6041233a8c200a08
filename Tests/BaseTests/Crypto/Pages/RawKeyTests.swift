import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Raw keys")
struct RawKeyTests {
    private static let key = String(repeating: "0aF9", count: 16)
    private static let salt = String(repeating: "c1", count: 16)

    private func read(_ text: String) throws -> RawKey {
        try RawKey(SecretBytes(copying: Array(text.utf8).span))
    }

    @Test(
        "Every form that programs write is read",
        arguments: ["%", "x'%'", "X'%'", "\"x'%'\"", " x'%' \n", "%\r\n"])
    func forms(_ form: String) throws {
        let bytes = [UInt8](repeating: 0, count: 32).indices.map { $0 % 2 == 0 ? 0x0A : 0xF9 }
        let short = try read(form.replacing("%", with: Self.key))
        #expect(short.secret.publicCopy() == bytes.map(UInt8.init) && short.salt == nil)
        let long = try read(form.replacing("%", with: Self.key + Self.salt))
        #expect(long.secret.publicCopy() == bytes.map(UInt8.init))
        #expect(long.salt == [UInt8](repeating: 0xC1, count: 16))
        let copy = try long.clone()
        #expect(copy.secret == long.secret && copy.salt == long.salt)
    }

    @Test(
        "Anything else is refused, and the error shows nothing of it",
        arguments: [
            "", "x''", "x'", "hunter2", "x'\(Self.key)", "x'\(Self.key)0'", "\(Self.key)0", "\(Self.key.dropLast(2))",
            "x'\(Self.key.dropLast())g'", "\(Self.key)\(Self.salt)00", String(repeating: "é", count: 32),
        ])
    func refusals(_ text: String) throws {
        let error = Refusal.error(.secretUnsuitable) { _ = try read(text) }
        #expect(error?.hint?.contains("x'…'") == true)
        for part in [String(Self.key.prefix(8)), "hunter"] {
            #expect(error?.message.contains(part) == false)
        }
    }

    @Test("What SQLCipher takes for a passphrase is none")
    func recognition() throws {
        for (text, isKey) in [
            ("x'\(Self.key)'", true), (" \"X'\(Self.key + Self.salt)'\"\n", true),
            (Self.key, false), ("x'\(Self.key)0'", false), ("", false), ("x'", false),
        ] {
            let secret = try SecretBytes(copying: Array(text.utf8).span)
            #expect(RawKey.isRawKey(secret) == isKey, "\(text)")
        }
    }
}
