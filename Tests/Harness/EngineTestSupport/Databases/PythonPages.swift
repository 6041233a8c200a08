import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// The Python reader in Tests/IndependentReaders/PageReader, which was written from the article DatabasePages alone.
enum PythonPages {
    static let folder = Programs.package.appending("Tests/IndependentReaders/PageReader")
    static let article = Programs.package.appending("Sources/Lockstep/Lockstep.docc/DatabasePages.md")

    /// The content of a file: rows in the reader's own order, values as types and hexadecimal digits.
    struct Contents: Decodable {
        let integrity: [String]
        let pages: Int
        let tables: [String: [[Value]]]

        struct Value: Decodable, Hashable {
            let type: Int
            let bytes: String

            init(type: Int, bytes: [UInt8]) {
                self.type = type
                self.bytes = Hex.encode(bytes)
            }

            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                type = try container.decode(Int.self)
                bytes = try container.decode(String.self)
            }

            init(_ value: Lockstep.Value) {
                switch value {
                case .null: self.init(type: 0, bytes: [])
                case .integer(let number): self.init(type: 1, bytes: number.bigEndianBytes)
                case .real(let number): self.init(type: 2, bytes: number.bitPattern.bigEndianBytes)
                case .text(let text): self.init(type: 3, bytes: Array(text.utf8))
                case .blob(let bytes): self.init(type: 4, bytes: bytes)
                }
            }
        }
    }

    static func run(
        _ arguments: [String], key: borrowing DatabaseKey
    ) throws -> PythonReader.Outcome {
        let secret = "{\"raw_key\": \"\(Hex.encode(Secrets.bytes(of: key.secret)))\"}"
        return try PythonReader.run([folder.appending("read_pages.py").string] + arguments, secret: Array(secret.utf8))
    }

    static func rows(_ path: FilePath, key: borrowing DatabaseKey) throws -> Contents {
        let outcome = try run(["rows", path.string], key: key)
        try #require(outcome.status == 0, "\(outcome.complaint)")
        return try JSONDecoder().decode(Contents.self, from: Data(outcome.output))
    }

    /// The class of its refusal; nil if it read the file.
    static func refusal(_ path: FilePath, key: borrowing DatabaseKey) throws -> String? {
        let outcome = try run(["rows", path.string], key: key)
        guard outcome.status != 0 else { return nil }
        #expect(outcome.output == [] && outcome.status == 1)
        return String(outcome.complaint.prefix { $0 != ":" })
    }
}
