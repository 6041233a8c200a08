import Foundation
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct Base64Tests {
    @Test(
        "RFC 4648's examples come out without their padding",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
        ])
    func knownAnswer(_ plain: String, _ text: String) {
        #expect(Base64.encode(Array(plain.utf8)) == text)
        #expect(Base64.decode(text) == Array(plain.utf8))
    }

    @Test("every length and byte is encoded and decoded again, and agrees with Foundation") func roundTrips() {
        for count in 0...300 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + count) }
            let text = Base64.encode(bytes)
            #expect(Base64.decode(text) == bytes)
            let padded = Data(bytes).base64EncodedString()
            #expect(text == padded.replacingOccurrences(of: "=", with: ""))
        }
    }

    @Test(
        "no other spelling is read",
        arguments: [
            "Zg==", "Zg=", "Zm8=", "=", "Zm9v\n", " Zm9v", "Zm 9v", "Zm9v ", "Zm9v\r", "Zm9-",
            "Zm9_",
            "Z", "Zm9vY", "Zm9v!", "Zm\u{0}9v", "Zm9vé", "Ｚm9v",
        ])
    func otherSpellings(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test("of the last characters that carry unused bits only the zero ones are read") func unusedBits() {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let two = alphabet.filter { Base64.decode("Z\($0)") != nil }
        #expect(String(two) == "AQgw")
        let three = alphabet.filter { Base64.decode("Zm\($0)") != nil }
        #expect(String(three) == "AEIMQUYcgkosw048")
    }

    @Test("exactly the alphabet's 64 characters are read")
    func alphabet() {
        let read = (UInt8.min...127).filter {
            Base64.decode("AAA" + String(UnicodeScalar($0))) != nil
        }
        #expect(read.count == 64)
        for byte in read {
            let text = "AAA" + String(UnicodeScalar(byte))
            #expect(Base64.decode(text).map { Base64.encode($0) } == text)
        }
    }
}
