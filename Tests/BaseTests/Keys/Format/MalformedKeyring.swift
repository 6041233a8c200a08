import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A keyring under Tests/IndependentReaders/KeyringReader/Malformed: it has one defect and is sound otherwise, down to
/// the MAC, or it has none. make_malformed.py beside the folder makes the files, malformed_corpus.py describes their
/// form; they can test any reader of keyrings.
struct MalformedKeyring: Sendable, CustomStringConvertible {
    static let categories = [
        "bytes", "base64", "lines", "slots", "whole", "plugins", "records", "remembered",
    ]

    let name: String
    let expected: String
    let credential: String
    /// The part of the format on which the expectation depends, or `-`.
    let since: String
    let what: String
    private(set) var text: [UInt8] = []

    var description: String { "\(name): \(what)" }

    /// The keyrings of a category, in order.
    static func all(_ category: String) throws -> [MalformedKeyring] {
        let file = PythonReader.folder.appending("Malformed/\(category).txt")
        return try parse(String(decoding: Bytes.read(file), as: UTF8.self))
    }

    static func parse(_ corpus: String) throws -> [MalformedKeyring] {
        var all: [MalformedKeyring] = []
        for line in corpus.split(separator: "\n") where !line.hasPrefix("#") {
            let (mark, rest) = (line.first, line.dropFirst())
            if mark == "=" {
                all.append(try MalformedKeyring(header: rest))
                continue
            }
            let last = try #require(all.indices.last, "\(line)")
            try #require(mark == "|" || mark == "+", "\(line)")
            all[last].text += try bytes(rest)
            if mark == "|" { all[last].text.append(UInt8(ascii: "\n")) }
        }
        return all
    }

    /// The text of the keyring of this name.
    static func text(_ category: String, _ name: String) throws -> [UInt8] {
        try #require(all(category).first { $0.name == name }, "no keyring \(name)").text
    }

    private init(header: Substring) throws {
        let fields = header.split(separator: " ", maxSplits: 4).map(String.init)
        try #require(fields.count == 5, "\(header)")
        (name, expected, credential) = (fields[0], fields[1], fields[2])
        (since, what) = (fields[3], fields[4])
    }

    /// The bytes of an escaped line.
    private static func bytes(_ line: Substring) throws -> [UInt8] {
        let parts = line.split(separator: "\\x", omittingEmptySubsequences: false)
        return try parts.dropFirst().reduce(into: Array(parts[0].utf8)) { bytes, part in
            bytes += try #require(Hex.decode(part.prefix(2)), "\(line)")
            bytes += part.dropFirst(2).utf8
        }
    }
}
