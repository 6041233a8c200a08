import Crypto
import Foundation

/// Values into cells and back by `AES.GCM`, under one key that is made once.
struct Cells {
    private static let lengths = [16, 64, 256, 1024, 65_536]
    private static let variants = lengths.flatMap { ["seal-\($0)", "open-\($0)"] }
    /// The number of chunks that serve as values in turn.
    private static let kinds = 16

    static var list: String {
        let names = variants.map { "\"\($0)\"" }.joined(separator: ",")
        return #"{"peer":"swift-crypto","encrypted":true,"workloads":{"fields":[\#(names)]}}"#
    }

    let variant: String
    private let length: Int
    private let isSealing: Bool
    private let key = SymmetricKey(size: .bits256)
    /// As many bytes as Lockstep binds a cell to; always the same ones, which costs least.
    private let associatedData = [UInt8](repeating: 0x41, count: 41)
    private(set) var clock = Clock()
    private(set) var hash = RowHash()

    init(_ variant: String?) throws {
        let variant = variant ?? Self.variants[0]
        let parts = variant.split(separator: "-")
        guard Self.variants.contains(variant), let length = parts.last.flatMap({ Int($0) }) else {
            throw Usage("fields has no variant \(variant)")
        }
        self.variant = variant
        self.length = length
        isSealing = parts.first == "seal"
    }

    /// Seals and opens this many values; the clock excludes the operation that the variant does not measure.
    mutating func run(_ operations: Int64) throws {
        let values = (0..<Self.kinds).map { kind in
            var generator = Generator(seed: UInt64(kind))
            return generator.bytes(length)
        }
        let batch = max(Self.kinds, min(512, 1_048_576 / length))
        var sealed = [Data](repeating: Data(), count: batch)
        var opened = sealed
        for first in stride(from: 0, to: Int(operations), by: batch) {
            let count = min(batch, Int(operations) - first)
            if isSealing { clock.start() }
            for index in 0..<count {
                sealed[index] = try seal(values[(first + index) % values.count])
            }
            if isSealing { clock.stop() }
            if !isSealing { clock.start() }
            for index in 0..<count { opened[index] = try open(sealed[index]) }
            if !isSealing { clock.stop() }
            for index in 0..<count { hash.add(opened[index]) }
        }
    }

    private func seal(_ value: [UInt8]) throws -> Data {
        let box = try AES.GCM.seal(value, using: key, authenticating: associatedData)
        guard let combined = box.combined else { throw Usage("a sealed box has another nonce") }
        return combined
    }

    private func open(_ cell: Data) throws -> Data {
        try AES.GCM.open(AES.GCM.SealedBox(combined: cell), using: key, authenticating: associatedData)
    }
}
