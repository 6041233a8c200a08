import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Someone who holds a slot, and so can write any text under a MAC that verifies.
struct RingKeyHolder: ~Copyable {
    private let ringKey: SecretBytes
    private let ringID: [UInt8]

    /// Takes the ring key out of the first slot of a keyring of ``Rings``.
    init(_ text: [UInt8]) throws {
        let document = try KeyringParser.parse(text).document
        let slot = try #require(document.slots.first)
        let opened = try slot.open(with: Rings.keyFile(), ringID: document.ringID)
        guard let opened else { throw LockstepError(.slotNotOpened, "the first slot is not ours") }
        ringKey = opened
        ringID = document.ringID
    }

    /// A key's line whose material is wrapped as it should be, whatever `commitment` claims.
    func keyLine(_ beginning: String, commitment: [UInt8], material: [UInt8]) throws -> String {
        let line = "\(beginning) \(Base64.encode(commitment))"
        let nonce = [UInt8](repeating: 0, count: XAES256GCM.nonceLength)
        let wrapKey = try HKDF.derive(ringKey.bytes, salt: ringID.span, info: Array("wrap/1".utf8).span)
        var cipher = try XAES256GCM(key: wrapKey.bytes)
        let sealed = try cipher.seal(material.span, nonce: nonce.span, associatedData: (ringID + Array(line.utf8)).span)
        return "\(line) \(Base64.encode(nonce + sealed))"
    }

    /// The lines above the MAC, with the MAC that they should have.
    func signed(_ lines: [String]) throws -> [UInt8] {
        let text = Rings.joined(lines)
        let key = try HKDF.derive(
            ringKey.bytes, salt: ringID.span, info: Array("mac/1".utf8).span)
        let mac = try HMAC.code(.sha256, key: key.bytes, message: text.span)
        return text + Array("--- \(Base64.encode(mac))\n".utf8)
    }
}
