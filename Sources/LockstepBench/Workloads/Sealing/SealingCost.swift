import BenchKit
import Dispatch
import Foundation
import Lockstep
import Synchronization

/// Measures what opening cells costs without a database.
struct SealingCost {
    private let cipher: ColumnCipher
    private let cell: [UInt8]
    private static let identity = [UInt8](repeating: 1, count: 16)

    /// One cell of a title's length, to be opened repeatedly.
    init(_ keys: FieldKeys) throws {
        cipher = try ColumnCipher(column: 1, identity: Self.identity, keys, SealingTools())
        cell = try cipher.seal(.text(Rows.record(1).first), at: .row(1))
    }

    func openOne() throws {
        let cell = cell
        guard case .text = try cipher.open(cell.span, at: .row(1)) else {
            throw BenchError("a sealed text was opened as something else")
        }
    }

    /// Cells of these values, for the rows from 1 on.
    static func cells(_ values: [String], _ keys: FieldKeys) throws -> [[UInt8]] {
        let cipher = try ColumnCipher(column: 1, identity: identity, keys, SealingTools())
        return try values.enumerated().map { index, value in
            try cipher.seal(.text(value), at: .row(Int64(index + 1)))
        }
    }

    /// Opens them on all processors.
    static func openAll(_ cells: [[UInt8]], _ keys: FieldKeys) throws {
        let threads = ProcessInfo.processInfo.activeProcessorCount
        let failure = Mutex<(any Error)?>(nil)
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            do {
                let cipher = try ColumnCipher(column: 1, identity: identity, keys, SealingTools())
                for index in (cells.count * thread / threads)..<(cells.count * (thread + 1) / threads) {
                    let cell = cells[index]
                    _ = try cipher.open(cell.span, at: .row(Int64(index + 1)))
                }
            } catch {
                failure.withLock { $0 = error }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
