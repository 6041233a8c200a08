@testable import Lockstep

/// Identity files, and the recipients of their identities.
final class IdentityTarget: FuzzTarget {
    static let name = "identity"
    static let refusals: Set<LockstepError.Code> = [.identityMalformed]

    static func seeds() throws -> [String: [UInt8]] {
        let plugin = try PluginName("yubikey")
        let foreign = try PluginIdentities(withoutData: plugin).spelled()
        let key = FuzzKeys.identity
        return [
            "key": Array("\(key)\n".utf8),
            "remarks": Array("# created: 2026-11-23\r\n\n# recipient: age1\n  \(key)\t\r\n".utf8),
            "plugin": Array("\(foreign)\n".utf8), "both": Array("\(key)\n\(foreign)\n\(foreign)".utf8),
        ]
    }

    func run(_ input: [UInt8]) throws {
        // The maximum length of a file.
        let text = Array(input.prefix(8191))
        _ = outcome(Self.refusals) {
            let identity = try Identity(parsing: SecretBytes(copying: text.span))
            let spelled = identity.recipient.description
            require(try Recipient(spelled) == identity.recipient, "a recipient is read as another one")
            _ = try identity.recipient.tag()
        }
        let file = try IdentityFile(parsing: SecretBytes(copying: text.span))
        _ = try file.identity()
        for plugin in file.plugins {
            require(try file.identities(of: plugin) != nil, "a plugin has no identities")
        }
    }
}

extension PluginIdentities {
    /// The first identity, as text.
    fileprivate borrowing func spelled() -> String {
        var bytes: [UInt8] = []
        for index in self[0].indices { bytes.append(self[0][index]) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
