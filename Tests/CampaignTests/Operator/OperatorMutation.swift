import TestSupport

@testable import EngineTestSupport
@testable import Lockstep

/// One change that an operator makes to the file: anything that SQL can do.
struct OperatorMutation: Sendable {
    /// The text for reports.
    let name: String
    let apply: @Sendable (borrowing Connection, inout Dice) throws -> Void

    init(_ name: String, _ apply: @escaping @Sendable (borrowing Connection, inout Dice) throws -> Void) {
        self.name = name
        self.apply = apply
    }

    /// The source of chance, and the operator's material.
    struct Dice {
        var generator: SplitMix64
        let prototype: OperatorPrototype

        mutating func pick<Element>(_ list: [Element]) throws -> Element {
            guard let element = list.randomElement(using: &generator) else { throw Nothing() }
            return element
        }

        mutating func number(_ range: ClosedRange<Int64>) -> Int64 {
            Int64.random(in: range, using: &generator)
        }

        mutating func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }

        mutating func flip() -> Bool { Bool.random(using: &generator) }

        /// A value near another one, or far from it.
        mutating func change(_ value: Value) -> Value {
            switch number(0...9) {
            case 0: return .null
            case 1: return .blob(bytes(Int(number(0...40))))
            case 2: return .text("operator")
            case 3: return .integer(number(-3...9))
            default: break
            }
            switch value {
            case .null: return .integer(1)
            case .integer(let number):
                return .integer(number &+ self.number(-2...2))
            case .real(let number): return .real(number + 1)
            case .text(let text):
                switch number(0...2) {
                case 0: return .text(text + "x")
                case 1: return .blob(Array(text.utf8))
                default: return .text(String(text.dropLast()))
                }
            case .blob(let bytes):
                return .blob(damaged(bytes))
            }
        }

        /// Bytes with a flipped bit, truncated, or extended.
        mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
            guard !bytes.isEmpty else { return [0] }
            var bytes = bytes
            switch number(0...3) {
            case 0: bytes.removeLast()
            case 1: bytes.append(UInt8(truncatingIfNeeded: number(0...255)))
            default:
                let place = Int(number(0...Int64(bytes.count - 1)))
                bytes[place] ^= 1 << UInt8(truncatingIfNeeded: number(0...7))
            }
            return bytes
        }
    }

    /// There is nothing to do here: draw again.
    struct Nothing: Error {}

    /// By class, each equally likely.
    static let classes: [[OperatorMutation]] = [
        registryRows, registryStates, ledger, tokens, cells, cells, memory, schema,
    ]

    static func draw(_ dice: inout Dice) throws -> OperatorMutation {
        try dice.pick(dice.pick(classes))
    }

    // MARK: Pieces

    /// Changes one value of one row.
    static func changeAny(
        in table: String, _ connection: borrowing Connection, _ dice: inout Dice
    ) throws {
        var rows = try TableRows(table, connection)
        guard !rows.rows.isEmpty else { throw Nothing() }
        let row = Int(dice.number(0...Int64(rows.rows.count - 1)))
        let column = Int(dice.number(0...Int64(rows.columns.count - 1)))
        let before = rows.rows[row][column]
        if dice.number(0...3) == 0 {
            rows.rows[row][column] = try dice.pick(rows.rows)[column]
        } else {
            rows.rows[row][column] = dice.change(before)
        }
        guard rows.rows[row][column] != before else { throw Nothing() }
        try rows.write(connection)
    }

    static func deleteAny(from table: String, _ connection: borrowing Connection, _ dice: inout Dice) throws {
        var rows = try TableRows(table, connection)
        guard !rows.rows.isEmpty else { throw Nothing() }
        rows.rows.remove(at: Int(dice.number(0...Int64(rows.rows.count - 1))))
        try rows.write(connection)
    }

    /// Adds a row that differs from another one in one value.
    static func addAny(
        to table: String, _ connection: borrowing Connection, _ dice: inout Dice
    ) throws {
        var rows = try TableRows(table, connection)
        var row = try dice.pick(rows.rows)
        for _ in 0...dice.number(0...2) {
            let column = Int(dice.number(0...Int64(row.count - 1)))
            row[column] = dice.change(row[column])
        }
        guard !rows.rows.contains(row) else { throw Nothing() }
        rows.rows = [row]
        try rows.add(connection)
    }
}
