import Foundation
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Files for recipients, in age's format")
struct AgeFileTests {
    /// As `age` 1.1.1 wrote them: a line of a catalogue, and an empty file.
    private static let files = [
        (
            "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBKZHFXMHowMzFPQk9ZSTV4MXZoVVNGVFJESGxpN1Rx"
                + "NXJqSlUzNnZQalVVCncwZ0t3M3h3OXJYM2hFRDdVcHBCMjZUWUxwcDNtdXRLZnc2cnJZbDJSZnMKLS0tIFN2"
                + "L0htMWRtSVBvUUV6MVluTDh1Y2FCRVRIUmFHS2lzdTVzTHRRTDdSVGsKlg9omBV+RRKg89JAiCyLWnQym1qS"
                + "r0Rnz7qkgvEsdFAj7aUQax6znRouZSo/sAL4105+ELHhQPIfmA==", "Casablanca\tRomance\t1942\t\t\n"
        ),
        (
            "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBkcmpYTjh5a2RGd25SUUE3YmtnWlVYb0x5RDRyVCsw"
                + "WmsvOGQ2bHZmVmhJCnc1RkRwekd1VjNGT2hhTU9YWGtzR3lTckIxVW5VTUtmWmRjWkxsZmxBa2sKLS0tIE9i"
                + "YXFVKzdmR3ZEbzE0SGRMaUZvSnlkeE5EejN0TVB3eCt2eEFsOHhFOWsKfLSB6TcQS9nVYdUhRNcC/IcxlzB8"
                + "eGG7tGuD8bmZukg=", ""
        ),
    ]
    private static let identity = "AGE-SECRET-KEY-153PANUMZPUAUEMAHR4YRE4VP6TE3465QQFGS0TGC2WN44RYMSNMQX7TWW4"

    private func sealed(_ bytes: [UInt8], for recipients: [Recipient]) throws -> [UInt8] {
        var file: [UInt8] = []
        var encryption = try AgeEncryption(for: recipients) { file += $0 }
        // In pieces of no particular size.
        for start in stride(from: 0, to: bytes.count, by: 10_007) {
            try encryption.add(Array(bytes[start..<min(start + 10_007, bytes.count)])) {
                file += $0
            }
        }
        try encryption.finish { file += $0 }
        return file
    }

    private func opened(
        _ file: [UInt8], _ identity: borrowing Identity, piece: Int = 70_001
    ) throws -> [UInt8] {
        var rest = file[...]
        func next() -> [UInt8]? {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(piece) }
            return Array(rest.prefix(piece))
        }
        var decryption = try AgeDecryption("the file", identity, [], next)
        var bytes: [UInt8] = []
        while let plain = try decryption.next(next) { bytes += plain }
        return bytes
    }

    private func known() throws -> Identity {
        let text = Array(Self.identity.utf8)
        return try Identity(parsing: SecretBytes(copying: text.span))
    }

    @Test("files that age wrote are read, in pieces of any size", arguments: [1, 7, 100_000])
    func known(piece: Int) throws {
        let identity = try known()
        for (file, text) in Self.files {
            let bytes = [UInt8](try #require(Data(base64Encoded: file)))
            #expect(AgeDecryption.begins(bytes))
            #expect(try opened(bytes, identity, piece: piece) == Array(text.utf8))
        }
    }

    @Test(
        "a sealed file is opened by each recipient and nobody else, whatever its length",
        arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])
    func roundTrip(count: Int) throws {
        let one = try Identity.generate()
        let other = try Identity.generate()
        let third = try Identity.generate()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let file = try sealed(bytes, for: [one.recipient, other.recipient])
        #expect(try opened(file, one) == bytes)
        #expect(try opened(file, other, piece: 1000) == bytes)
        Refusal.expect(.slotNotOpened, about: .init(file: "the file")) {
            _ = try opened(file, third)
        }
        #expect(try sealed(bytes, for: [one.recipient]) != sealed(bytes, for: [one.recipient]))
    }

    @Test("a file that is cut, extended or changed anywhere does not open")
    func abuse() throws {
        let identity = try Identity.generate()
        let bytes = [UInt8](repeating: 0x41, count: 65_546)
        let file = try sealed(bytes, for: [identity.recipient])
        let codes: Set<LockstepError.Code> = [
            .tampered, .malformedInput, .slotNotOpened,
        ]
        func refused(_ file: [UInt8], _ what: String) {
            do {
                _ = try opened(file, identity)
                Issue.record("\(what) opened")
            } catch let error as LockstepError {
                #expect(codes.contains(error.code), "\(what): \(error)")
                #expect(!error.message.contains("AAAA"))
            } catch {
                Issue.record("\(what): \(error)")
            }
        }
        let header = file.count - (16 + 65_546 + 2 * 16)
        let places =
            Array(0..<(header + 40)) + [
                header + 65_567, header + 65_568, header + 65_569, file.count - 17, file.count - 1,
            ]
        for place in places {
            var changed = file
            changed[place] ^= 1
            refused(changed, "byte \(place)")
        }
        for count in Array(0..<(header + 20)) + [
            header + 16 + 65_552, header + 16 + 65_553, file.count - 1,
        ] {
            refused(Array(file.prefix(count)), "\(count) bytes")
        }
        refused(file + [0], "with a byte more")
        // The first chunk twice, and both swapped.
        let first = Array(file[(header + 16)..<(header + 16 + 65_552)])
        let rest = Array(file[(header + 16 + 65_552)...])
        refused(Array(file.prefix(header + 16)) + first + first + rest, "a chunk twice")
        refused(Array(file.prefix(header + 16)) + rest, "the last chunk alone")
    }

    @Test("no recipient at all, and a point of low order, are refused")
    func recipients() throws {
        Refusal.expect(.recipientMalformed) { _ = try sealed([], for: []) }
        let zero = Recipient(publicKey: [UInt8](repeating: 0, count: 32))
        Refusal.expect(.recipientMalformed) { _ = try sealed([], for: [zero]) }
    }

    @Test(
        "recipients of unknown kinds are skipped, and a header without end is refused"
    )
    func headers() throws {
        let identity = try Identity.generate()
        var header = AgeHeader("f")
        let other = "age-encryption.org/v1\n-> grease x y\n\(String(repeating: "A", count: 64))\nAAAA\n"
        let share = Base64.encode([UInt8](repeating: 9, count: 32))
        let own = "-> X25519 \(share)\n\(Base64.encode([UInt8](repeating: 1, count: 32)))\n"
        let code = Base64.encode([UInt8](repeating: 2, count: 32))
        let isComplete = try header.isComplete(Array("\(other)\(own)--- \(code)\n".utf8))
        #expect(isComplete)
        Refusal.expect(.slotNotOpened) { _ = try header.fileKey(identity) }
        for text in [
            "age-encryption.org/v2\n--- \(code)\n", "\(other)\(own)---\(code)\n",
            "\(other)--- AAAA\n",
            "\(other)-> X25519\n\(share)\n--- \(code)\n",
            "\(other)-> X25519 \(share)\nAAAA\n--- \(code)\n",
            "\(other)no stanza\n--- \(code)\n", "\(other)->  two\n\n--- \(code)\n",
            "\(other)-> X25519 \(share)=\n\(share)\n--- \(code)\n",
            // A recipient without its last line, or without any; words with characters that are not visible ASCII.
            "\(own)-> x y\n\(String(repeating: "A", count: 64))\n--- \(code)\n", "\(own)-> x y\n--- \(code)\n",
            "\(own)-> x \u{7F}\n\n--- \(code)\n", "\(own)-> x é\n\n--- \(code)\n",
            // Nobody else can read a file that is under a passphrase.
            "\(own)-> scrypt \(share) 10\n\(share)\n--- \(code)\n", String(repeating: "x", count: 70_000),
        ] {
            Refusal.expect(.malformedInput) {
                var header = AgeHeader("f")
                _ = try header.isComplete(Array(text.utf8))
            }
        }
    }
}
