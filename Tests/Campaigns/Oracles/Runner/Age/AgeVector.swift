import ZlibStreams

/// A file of age's testkit: its description, and the age file.
struct AgeVector {
    /// The result that a reader must give.
    enum Expectation: String {
        case success
        case noMatch = "no match"
        case macFailure = "HMAC failure"
        case headerFailure = "header failure"
        case armorFailure = "armor failure"
        case payloadFailure = "payload failure"
    }

    /// Features that Lockstep's reader does not support.
    enum Unsupported: String, CaseIterable {
        case armor = "armored files"
        case passphrase = "files under a passphrase"
        case hybrid = "hybrid identities"
    }

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    let expectation: Expectation
    /// The SHA-256 of all plaintext that comes before the end or the error.
    let payload: String?
    let identities: [String]
    let unsupported: Unsupported?
    let file: [UInt8]

    private static let keys: Set = [
        "expect", "compressed", "payload", "identity", "passphrase", "armored", "file key", "comment",
    ]

    init(_ bytes: [UInt8]) throws {
        var lines = AgeVectorLines(bytes)
        var values: [String: [String]] = [:]
        while let line = lines.next(), !line.isEmpty {
            guard let colon = line.firstRange(of: ": ") else {
                throw Malformed(description: "“\(line)” has no colon")
            }
            let key = String(line[..<colon.lowerBound])
            guard Self.keys.contains(key) else {
                throw Malformed(description: "the key \(key) is not known")
            }
            values[key, default: []].append(String(line[colon.upperBound...]))
        }
        guard let expectation = values["expect"]?.first.flatMap(Expectation.init) else {
            throw Malformed(description: "it expects nothing that is known")
        }
        self.expectation = expectation
        payload = values["payload"]?.first
        identities = values["identity"] ?? []
        file = values["compressed"] == ["zlib"] ? try Inflate.zlib(lines.rest) : lines.rest
        unsupported =
            if values["armored"] == ["yes"] {
                .armor
            } else if identities.contains(where: { $0.hasPrefix("AGE-SECRET-KEY-PQ-") }) {
                .hybrid
            } else if values["passphrase"] != nil, identities.isEmpty {
                .passphrase
            } else {
                nil
            }
    }
}

/// Text lines, with the bytes that follow them.
private struct AgeVectorLines {
    private(set) var rest: [UInt8]

    init(_ bytes: [UInt8]) { rest = bytes }

    mutating func next() -> String? {
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { rest.removeFirst(end + 1) }
        return String(decoding: rest[..<end], as: UTF8.self)
    }
}
