import SystemPackage
import TestSupport

@testable import Lockstep

/// The pages of a database in plaintext, and forged pages in their place, as only a holder of the key can make them.
/// The encrypting half shares only HMAC and PBKDF2 with the engine.
struct PageForge {
    static let usable = 4016

    let scratch: DatabaseScratch

    var pages: Int { get throws { try scratch.bytes.count / 4096 } }

    /// The usable part of a page, decrypted.
    func plain(_ number: Int) throws -> [UInt8] {
        let bytes = try scratch.bytes
        return try open(Array(bytes[((number - 1) * 4096)..<(number * 4096)]), as: number)
    }

    /// The same for a page stored elsewhere, such as in the log.
    func open(_ page: [UInt8], as number: Int) throws -> [UInt8] {
        let start = number == 1 ? 16 : 0
        let key = try scratch.key()
        let text = try AES256CBC.decrypt(
            page.span.extracting(start..<Self.usable), key: key.secret.bytes,
            initialisationVector: page.span.extracting(Self.usable..<(Self.usable + 16)))
        return number == 1 ? Array("SQLite format 3\0".utf8) + text : text
    }

    /// Replaces page `number` with a page that verifies, or appends one.
    func write(_ plain: [UInt8], as number: Int) throws {
        let page = try seal(plain, as: number)
        try scratch.damage { bytes in
            let start = (number - 1) * 4096
            bytes.replaceSubrange(start..<min(start + 4096, bytes.count), with: page)
        }
    }

    func change(_ number: Int, _ body: (inout [UInt8]) throws -> Void) throws {
        var plain = try plain(number)
        try body(&plain)
        try write(plain, as: number)
    }

    /// Invalidates a page's MAC, in the middle of its ciphertext.
    func damage(_ numbers: Int...) throws {
        try scratch.damage { bytes in
            for number in numbers { bytes[(number - 1) * 4096 + 2000] ^= 0xFF }
        }
    }

    private func seal(_ plain: [UInt8], as number: Int) throws -> [UInt8] {
        let key = try scratch.key()
        let secret = Secrets.bytes(of: key.secret)
        let salt = Array(try scratch.bytes.prefix(16))
        let vector = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 16)
        let start = number == 1 ? 16 : 0
        let text = AES256(key: secret).encryptCBC(Array(plain[start...]), initialisationVector: vector)
        let content = text + vector
        let macSalt = salt.map { $0 ^ 0x3A }
        let macKey = try PBKDF2.derive(.sha512, secret.span, salt: macSalt.span, rounds: 2)
        let littleEndian = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        let message = content + littleEndian
        let mac = try HMAC.code(.sha512, key: macKey.bytes, message: message.span)
        return (number == 1 ? salt : []) + content + mac
    }

    // MARK: Finding pages

    /// The numbers of the pages of a kind: 2 and 5 interior, 10 and 13 leaves.
    func pages(ofKind kind: UInt8) throws -> [Int] {
        try (1...pages).filter { number in try plain(number)[number == 1 ? 100 : 0] == kind }
    }

    /// Which of these markers are on a page.
    func markers(_ markers: [Int], on number: Int) throws -> Set<Int> {
        try Self.markers(markers, in: plain(number))
    }

    static func markers(_ markers: [Int], in page: [UInt8]) -> Set<Int> {
        let text = String(decoding: page, as: UTF8.self)
        // Every marker has a distinct form, which no other text of a test has.
        let found = text.split(separator: "#").compactMap { Int($0) }
        return Set(found).intersection(markers)
    }

    static func word(_ page: [UInt8], at offset: Int) -> Int {
        page[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) }
    }

    static func put(_ number: Int, at offset: Int, into page: inout [UInt8]) {
        for index in 0..<4 {
            page[offset + index] = UInt8(truncatingIfNeeded: number >> (24 - 8 * index))
        }
    }
}
