import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The example in Keys/README.md, which others can test their readers with.
struct KeyringExampleTests {
    private let text: [UInt8]
    private let values: [String: String]

    init() throws {
        let readme = try Bytes.read(Programs.package.appending("Keys/README.md"))
        let blocks = String(decoding: readme, as: UTF8.self).split(separator: "```\n")
        let file = try #require(blocks.first { $0.hasPrefix("lockstep-keyring/1\n") })
        text = Array(file.utf8)
        let table = blocks.filter { $0.hasPrefix("ring id ") || $0.hasPrefix("scrypt ") }
        var values: [String: String] = [:]
        for line in table.joined().split(separator: "\n") {
            let sides = line.split(separator: "=", maxSplits: 1).map {
                $0.trimmingPrefix { $0 == " " }
            }
            try #require(sides.count == 2)
            let name = String(sides[0]).replacing(/\ +$/, with: "")
            try #require(values.updateValue(String(sides[1]), forKey: name) == nil, "\(name)")
        }
        self.values = values
    }

    private func bytes(_ name: String) throws -> [UInt8] {
        let bytes = Bytes.hex(try #require(values[name], "\(name) does not stand there"))
        try #require(!bytes.isEmpty)
        return bytes
    }

    private func open() throws -> Keyring {
        let secret = try bytes("laptop: key file")
        return try Keyring.open(text) { slot in
            slot.kind == .keyFile ? try .keyFile(Secrets.make(secret)) : nil
        }
    }

    @Test("It opens with the key file that it gives, and holds the keys that it says")
    func keys() throws {
        let ring = try open()
        #expect(ring.epoch == 3)
        #expect(ring.summary.slots.map(\.name) == ["laptop", "server"])
        #expect(ring.summary.publisher != nil)
        #expect(ring.subjectID == (try bytes("database id")))
        #expect(ring.summary.keys.map(\.state) == [.retired, .active])
        for version in UInt32(1)...2 {
            let key = try ring.key(.database, version: version)
            #expect(Secrets.bytes(of: key) == (try bytes("key \(version)")))
            #expect(try HashFunction.sha256.digest(key.bytes) == bytes("key \(version): its SHA-256"))
        }
        let key = try ring.activeDatabaseKey()
        #expect(Secrets.bytes(of: key.secret) == (try bytes("key 2: raw key")))
        #expect(key.salt == (try bytes("key 2: salt of the file")))
        #expect(try HashFunction.sha256.digest(text.span) == bytes("SHA-256 of the file"))
    }

    @Test("Its slots are what this library computes", arguments: ["laptop", "server"])
    func slots(_ name: String) throws {
        let document = try KeyringParser.parse(text).document
        let slot = try #require(document.slots.first { $0.name == name })
        let isLaptop = name == "laptop"
        let secret = try bytes(isLaptop ? "laptop: key file" : "server: X25519")
        let salt = try isLaptop ? bytes("laptop: salt") : bytes("server: share") + bytes("server: recipient")
        let header = Array(slot.header.utf8)
        let info = Array("slot/1".utf8) + document.ringID + header
        let (wrap, commitment) = (try bytes("\(name): wrap"), try bytes("\(name): c"))
        let derived = try HKDF.derive(secret.span, salt: salt.span, info: info.span, count: 64)
        #expect(Secrets.bytes(of: derived) == wrap + commitment)
        #expect(Array(slot.body.prefix(32)) == commitment)
        let nonce = [UInt8](repeating: 0, count: 12)
        let opened = try AEAD().open(
            slot.body.span.extracting(32...), key: wrap.span, nonce: nonce.span, associatedData: header.span)
        let ringKey = try bytes("ring key")
        #expect(Secrets.bytes(ofOptional: opened) == ringKey)
    }

    @Test("Its intermediate values are what this library computes")
    func steps() throws {
        try expect("MAC key", derivedFrom: "ring key", salt: "ring id", info: "mac/1")
        try expect("key wrap", derivedFrom: "ring key", salt: "ring id", info: "wrap/1")
        for key in ["key 1", "key 2"] {
            try expect("\(key): commitment", derivedFrom: key, salt: nil, info: "commit")
            let (wrap, nonce) = (try bytes("key wrap"), try bytes("\(key): nonce"))
            var cipher = try XAES256GCM(key: wrap.span)
            let cipherKey = try cipher.derivedKey(nonce.span)
            let expected = try bytes("\(key): Kx")
            #expect(Secrets.bytes(of: cipherKey) == expected)
        }
        let (passphrase, salt) = (Array("correct horse bättery".utf8), try bytes("laptop: salt"))
        let stretched = try Scrypt.derive(passphrase.span, salt: salt.span, cost: Rings.cheap)
        let expected = try bytes("scrypt")
        #expect(Secrets.bytes(of: stretched) == expected)
    }

    private func expect(
        _ name: String, derivedFrom secret: String, salt: String?, info: String
    ) throws {
        let (secret, expected) = (try bytes(secret), try bytes(name))
        let salt = try salt.map { try bytes($0) } ?? []
        let info = Array(info.utf8)
        let derived = try HKDF.derive(secret.span, salt: salt.span, info: info.span)
        #expect(Secrets.bytes(of: derived) == expected, "\(name)")
    }
}
