import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// The reader in Python under Tests/IndependentReaders/CellReader, written from the article SealedCells alone.
enum CellReader {
    /// Its answers, one for each request.
    static func answers(_ requests: [some Encodable]) throws -> [String] {
        let encoder = JSONEncoder()
        var input: [UInt8] = []
        for request in requests { input += [UInt8](try encoder.encode(request)) + [0x0A] }
        let script = Programs.package.appending("Tests/IndependentReaders/CellReader/read_cell.py")
        let outcome = try PythonReader.run([script.string], secret: input)
        try #require(outcome.status == 0, "\(outcome.complaint)")
        return String(decoding: outcome.output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// An element of a list of mixed types.
    enum Part: Encodable {
        case tag(UInt8)
        case text(String)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .tag(let tag): try container.encode(tag)
            case .text(let text): try container.encode(text)
            }
        }
    }
}
