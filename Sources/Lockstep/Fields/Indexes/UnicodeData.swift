/// Properties of scalars in Unicode 15.0: whether they are assigned, their case folding, their canonical decomposition
/// and composition, and their combining class.
///
/// The standard library has most of these properties, but in the version of Unicode that it was built with. Tokens must
/// be the same in twenty years, and on systems with an older library.
struct UnicodeData: Sendable {
    /// Decoded once.
    static let shared = UnicodeData()

    private let assigned: Runs
    private let combining: Runs
    private let simpleFolds: Runs
    private let fullFolds: Map<UInt32, [UInt32]>
    /// The two parts, the first in the upper half; the second is 0 if there is none.
    private let decompositions: Map<UInt32, UInt64>
    private let compositions: Map<UInt64, UInt32>

    private init() {
        assigned = Runs(UnicodeTables.assigned, hasStep: false, hasValue: false)
        combining = Runs(UnicodeTables.combining, hasStep: false, hasValue: true)
        simpleFolds = Runs(UnicodeTables.simpleFolds, hasStep: true, hasValue: true)
        var numbers = Numbers(UnicodeTables.fullFolds)
        var folds: [(UInt32, [UInt32])] = []
        while let distance = numbers.next(), let count = numbers.next() {
            folds.append(((folds.last?.0 ?? 0) + distance, (0..<count).compactMap { _ in numbers.next() }))
        }
        fullFolds = Map(folds)
        let composed = Self.pairs(UnicodeTables.composed)
        decompositions = Map(composed + Self.pairs(UnicodeTables.decomposed))
        compositions = Map(composed.map { ($0.1, $0.0) })
    }

    /// Whether the scalar's general category is not Cn.
    func isAssigned(_ scalar: UInt32) -> Bool {
        // U+0378 is the first unassigned scalar.
        scalar < 0x378 || assigned.find(scalar) != nil
    }

    /// Its canonical combining class.
    func combiningClass(_ scalar: UInt32) -> UInt32 {
        // All scalars below U+0300 have class 0.
        scalar < 0x300 ? 0 : combining.find(scalar)?.value ?? 0
    }

    /// Appends the scalar's full case folding: the lines C and F of CaseFolding.txt.
    func appendFold(_ scalar: UInt32, to output: inout [UInt32]) {
        if scalar < 0x80 {
            output.append((0x41...0x5A).contains(scalar) ? scalar | 0x20 : scalar)
        } else if let run = simpleFolds.find(scalar) {
            output.append(run.value + (scalar - run.first))
        } else if let several = fullFolds[scalar] {
            output += several
        } else {
            output.append(scalar)
        }
    }

    /// One step of the scalar's canonical decomposition; the second part is 0 if there is only one.
    func decomposition(_ scalar: UInt32) -> (first: UInt32, second: UInt32)? {
        guard scalar >= 0xC0, let parts = decompositions[scalar] else { return nil }
        return (UInt32(parts >> 32), UInt32(truncatingIfNeeded: parts))
    }

    /// The composition of two scalars.
    func composition(_ first: UInt32, _ second: UInt32) -> UInt32? {
        // No scalar below U+0300 is ever the second.
        guard second >= 0x300 else { return nil }
        return compositions[UInt64(first) << 32 | UInt64(second)]
    }

    private static func pairs(_ table: String) -> [(UInt32, UInt64)] {
        var numbers = Numbers(table)
        var pairs: [(UInt32, UInt64)] = []
        while let distance = numbers.next(), let first = numbers.next(),
            let second = numbers.next()
        {
            pairs.append(
                ((pairs.last?.0 ?? 0) + distance, UInt64(first) << 32 | UInt64(second)))
        }
        return pairs
    }
}

/// The numbers of a table, in order.
private struct Numbers {
    private var rest: String.UTF8View.Iterator

    init(_ table: String) { rest = table.utf8.makeIterator() }

    mutating func next() -> UInt32? {
        var number: UInt32?
        while let byte = rest.next() {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = byte - UInt8(ascii: "a") + 10
            default:
                if number != nil { return number }
                continue
            }
            number = (number ?? 0) * 36 + UInt32(digit)
        }
        return number
    }
}

/// Runs of scalars at a constant distance, with a common value.
private struct Runs: Sendable {
    struct Run {
        let first: UInt32
        let last: UInt32
        let step: UInt32
        let value: UInt32
    }

    private var runs: [Run] = []

    init(_ table: String, hasStep: Bool, hasValue: Bool) {
        var numbers = Numbers(table)
        while let distance = numbers.next(), let count = numbers.next(), count > 0 {
            let first = (runs.last?.last ?? 0) + distance
            let step = hasStep ? numbers.next() ?? 1 : 1
            runs.append(
                Run(
                    first: first, last: first + (count - 1) * step, step: step,
                    value: hasValue ? numbers.next() ?? 0 : 0))
        }
    }

    func find(_ scalar: UInt32) -> Run? {
        let index = runs.partitioningIndex { $0.first > scalar }
        guard index > 0 else { return nil }
        let run = runs[index - 1]
        return scalar <= run.last && (scalar - run.first) % run.step == 0 ? run : nil
    }
}

/// Values by key, in less memory than a dictionary.
private struct Map<Key: Comparable & Sendable, Value: Sendable>: Sendable {
    private let keys: [Key]
    private let values: [Value]

    init(_ pairs: [(Key, Value)]) {
        let sorted = pairs.sorted { $0.0 < $1.0 }
        keys = sorted.map(\.0)
        values = sorted.map(\.1)
    }

    subscript(_ key: Key) -> Value? {
        let index = keys.partitioningIndex { $0 >= key }
        return index < keys.count && keys[index] == key ? values[index] : nil
    }
}

extension Array {
    /// The first index from which `belongs` is true, in an array where it is false before that index.
    fileprivate func partitioningIndex(_ belongs: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if belongs(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
