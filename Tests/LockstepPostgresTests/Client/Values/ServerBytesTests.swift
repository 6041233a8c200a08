import Testing

@testable import LockstepPostgres

@Suite("Bytes in a server's texts")
struct ServerBytesTests {
    @Test("Every byte is read, and nothing but two lower-case digits for each")
    func forms() {
        let all = (0...255).map { UInt8($0) }
        let digits = all.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }
        #expect([UInt8](serverText: "\\x" + digits.joined()) == all)
        #expect([UInt8](serverText: "\\x") == [])
        for text in [
            "", "\\", "x0", "00", "\\x0", "\\x0g", "\\xg0", "\\x0A", "\\x 0", "\\x0\u{130}", "\\x00:/", "\\X00",
        ] {
            #expect([UInt8](serverText: text) == nil, "\(text)")
        }
    }
}
