import BenchKit
import Lockstep

/// The cells to seal and open: of one length, in one direction.
struct Cells: Hashable, Sendable {
    /// Which of the two is measured; the other is done as well.
    enum Direction: String, CaseIterable, Sendable {
        case seal
        case open
    }

    /// Bytes of a value.
    static let lengths = [16, 64, 256, 1024, 65_536]
    /// Every direction of every length.
    static let all = lengths.flatMap { length in
        Direction.allCases.map { Cells($0, length) }
    }

    let direction: Direction
    let length: Int

    init(_ direction: Direction, _ length: Int) {
        self.direction = direction
        self.length = length
    }

    /// The variant's name, such as `seal-256`.
    var variant: String { "\(direction.rawValue)-\(length)" }

    /// The cells of a variant; nil if there is no such variant.
    init?(variant: String) {
        guard let cells = Self.all.first(where: { $0.variant == variant }) else { return nil }
        self = cells
    }

    /// As many as take about a third of a second: about 300 ns each, and a nanosecond per three bytes.
    func operations(_ sizes: Sizes) -> Int {
        let cost = 300 + length / 3
        return sizes.operations(quick: 6_000_000 / cost, full: 100_000_000 / cost)
    }

    /// How many are processed between two reads of the clock: at most a mebibyte, which stays in the cache.
    var batch: Int { max(Rows.chunkKinds, min(512, 1_048_576 / length)) }

    /// The values, repeated: the beginnings of the chunks.
    var values: [[UInt8]] { Rows.chunks().map { Array($0.prefix(length)) } }
}

/// Turns values into cells and back, without a database: each is bound to the row of its number, from 0 on.
enum FieldsWorkload: Workload {
    static let name = "fields"
    static let variants = Cells.all.map(\.variant)
    static let goals =
        Cells.all.filter { $0.length <= 256 }.map { cells in
            let times = cells.direction == .seal ? 4 : 2.4
            return Goal(cells.variant, .speed(atLeast: times, times: "swift-crypto"))
        }
        + Cells.all.filter { $0.length == 65_536 }.map { cells in
            Goal(cells.variant, .speed(atLeast: 1, times: "swift-crypto"))
        }
    /// Cells take less than a microsecond.
    static let unit = TimeUnit.nanoseconds
    static let hasDatabase = false

    static func synchronous(_ requested: Synchronous?) -> [Synchronous] { [.normal] }

    static func operations(_ sizes: Sizes, _ variant: String) -> Int {
        Cells(variant: variant)?.operations(sizes) ?? 1
    }

    static func group(of variant: String) -> String? { variant }

    static func expected(_ sizes: Sizes, _ variant: String) -> String {
        guard let cells = Cells(variant: variant) else { return "" }
        return RowHash.ofChunks(cells.values, cells.operations(sizes)).hex
    }

    static func run(_ database: BenchDatabase) throws -> Measurement {
        let request = database.request
        guard let cells = Cells(variant: request.variant) else {
            throw BenchError("fields has no variant \(request.variant)")
        }
        let keyring = try Keyring.create(.fields)
        let cipher = try ColumnCipher(
            column: 1, identity: [UInt8](repeating: 1, count: 16), keyring.fieldKeys(), SealingTools())
        var measurement = Measurement()
        // Only for the versions of the libraries.
        try measurement.look(at: Connection.inMemory())
        measurement.settings = request.settings
        let values = cells.values.map { Value.blob($0) }
        var sealed = [[UInt8]](repeating: [], count: cells.batch)
        var opened = [Value](repeating: .null, count: cells.batch)
        while measurement.operations < request.operations {
            let first = measurement.operations
            let count = min(cells.batch, request.operations - first)
            if cells.direction == .seal { measurement.clock.start() }
            for index in 0..<count {
                sealed[index] = try cipher.seal(values[(first + index) % values.count], at: .row(Int64(first + index)))
            }
            if cells.direction == .seal { measurement.clock.stop() }
            if cells.direction == .open { measurement.clock.start() }
            for index in 0..<count {
                let cell = sealed[index]
                opened[index] = try cipher.open(cell.span, at: .row(Int64(first + index)))
            }
            if cells.direction == .open { measurement.clock.stop() }
            for index in 0..<count {
                guard case .blob(let bytes) = opened[index] else {
                    throw BenchError("a sealed blob was opened as \(opened[index].tag)")
                }
                measurement.hash.add(bytes)
            }
            measurement.operations += count
        }
        return measurement
    }
}
