import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Texts and blobs on their way into a statement")
final class ParameterBufferTests {
    private let connection: Connection
    /// The sizes around the buffer's own.
    private static let sizes = [0, 1, 2047, 2048, 2049, 4094, 4095, 4096, 4097, 8192, 100_000]

    init() throws { connection = try Connection.inMemory() }

    /// Bytes that differ between any two values.
    private static func blob(_ count: Int, _ seed: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31) ^ ($0 >> 8) &+ seed &* 77) }
    }

    private static func text(_ count: Int, _ seed: Int) -> String {
        String(decoding: blob(count, seed).map { 0x20 + $0 % 0x5F }, as: UTF8.self)
    }

    // MARK: The buffer itself

    @Test("Stored values stay, side by side, until the buffer is cleared", arguments: sizes)
    func storing(_ size: Int) throws {
        let buffer = ParameterBuffer()
        for _ in 0..<2 {
            let first = Self.blob(size, 1)
            let place = first.withUnsafeBytes { buffer.store($0) }
            #expect((place != nil) == (size <= 4096))
            // A value that did not fit has used no space.
            let rest = Self.blob(size > 4096 ? 4096 : 4096 - size, 2)
            let other = rest.withUnsafeBytes { buffer.store($0) }
            #expect(other != nil)
            let full = [UInt8(0)].withUnsafeBytes { buffer.store($0) }
            #expect(full == nil)
            if let place = place, let other = other {
                #expect(
                    UnsafeRawBufferPointer(start: place, count: size).elementsEqual(first))
                #expect(
                    UnsafeRawBufferPointer(start: other, count: rest.count)
                        .elementsEqual(rest))
            }
            buffer.clear()
        }
    }

    @Test("An empty value uses no space, but has an address even in a full buffer")
    func empty() {
        let buffer = ParameterBuffer()
        let all = [UInt8](repeating: 1, count: 4096)
        for _ in 0..<3 {
            let place = UnsafeRawBufferPointer(start: nil, count: 0)
            #expect(buffer.store(place) != nil)
        }
        #expect(all.withUnsafeBytes { buffer.store($0) } != nil)
        #expect(buffer.store(UnsafeRawBufferPointer(start: nil, count: 0)) != nil)
    }

    // MARK: Through a statement

    @Test("A text and a blob of every size arrive intact, run after run", arguments: sizes)
    func single(_ size: Int) throws {
        let statement = try connection.prepare("SELECT ?, ?")
        for seed in 0..<3 {
            let (text, blob) = (Self.text(size, seed), Self.blob(size, seed))
            let isWhole = try statement.first(text, blob) { row in
                try row[0] as String == text && row[1] as [UInt8] == blob
            }
            #expect(isWhole == true)
            let isSwapped = try statement.first(blob, text) { row in
                try row[0] as [UInt8] == blob && row[1] as String == text
            }
            #expect(isSwapped == true)
        }
    }

    @Test(
        "Many values that together overflow the buffer arrive intact and separate",
        arguments: [
            [4095, 1, 1], [4096, 1, 0], [1, 4096, 4095], [2048, 2048, 0, 1], [4097, 4096, 1],
        ])
    func together(_ sizes: [Int]) throws {
        let values = sizes.enumerated().map { seed, size in
            seed.isMultiple(of: 2) ? Value.text(Self.text(size, seed)) : .blob(Self.blob(size, seed))
        }
        try expectBack(values)
    }

    @Test("Two hundred parameters, most of them beyond the buffer")
    func many() throws {
        try expectBack((0..<200).map { .text(Self.text($0, $0)) })
        try expectBack((0..<200).map { .blob(Self.blob(200 - $0, $0)) })
    }

    private func expectBack(
        _ values: [Value], _ location: SourceLocation = #_sourceLocation
    ) throws {
        let marks = repeatElement("?", count: values.count).joined(separator: ", ")
        let statement = try connection.prepare("SELECT \(verbatim: marks)")
        for order in [values, values.reversed(), values] {
            try statement.bind(values: order)
            #expect(try statement.step(), sourceLocation: location)
            let row = Row(statement.prepared)
            for (index, value) in order.enumerated() {
                #expect(try row[index] as Value == value, sourceLocation: location)
            }
            #expect(statement.end() == 0, sourceLocation: location)
        }
    }

    @Test("Values stay while rows are read, whatever other statements bind meanwhile") func surviving() throws {
        let outer = try connection.prepare("SELECT ?, value FROM json_each('[1, 2, 3]')")
        let inner = try connection.prepare("SELECT ?")
        let text = Self.text(3000, 1)
        var rows = 0
        try outer.forEach(text) { (row: borrowing Row) throws in
            for seed in 2..<5 {
                let other = Self.text(3000, seed)
                #expect(try inner.first(other) { row in try row[0] as String } == other)
            }
            #expect(try row[0] as String == text)
            rows += 1
        }
        #expect(rows == 3)
    }

    @Test("Stored rows stay in the table when the next run's values replace the buffer's") func stored() throws {
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)")
        try connection.write { connection in
            let insert = try connection.prepare("INSERT INTO t VALUES (?, ?, ?)")
            for id in 1...2000 {
                try insert.run(id, Self.text(id % 97, id), Self.blob(id % 61, id))
            }
        }
        var seen = 0
        try connection.prepare("SELECT id, a, b FROM t").forEach { row in
            let id: Int = try row[0]
            let isWhole = try row[1] as String == Self.text(id % 97, id) && row[2] as [UInt8] == Self.blob(id % 61, id)
            if isWhole { seen += 1 }
        }
        #expect(seen == 2000)
    }

    @Test("A refused binding over an earlier one leaves nothing that could run")
    func rebinding() throws {
        let statement = try connection.prepare("SELECT ?, ?")
        try statement.bind("first", "second")
        Refusal.expect(.bindMismatch) { try statement.bind("third") }
        Refusal.expect(.bindMismatch) { try statement.run() }
        let back = try statement.first("fourth", nil as String?) { row in
            [try row[0] as String?, try row[1]]
        }
        #expect(back == ["fourth", nil])
    }

    // MARK: Zeros

    @Test(
        "ZeroBytes is a blob of that many zeros", arguments: [0, 1, 4096, 4097, 1 << 20, -1, .min])
    func zeros(_ count: Int) throws {
        let expected = [UInt8](repeating: 0, count: max(count, 0))
        #expect(try connection.value("SELECT ?", ZeroBytes(count)) == expected)
        try connection.execute("CREATE TABLE t (a)")
        try connection.execute("INSERT INTO t VALUES (\(ZeroBytes(count)))")
        #expect(try connection.value("SELECT a FROM t") == expected)
        #expect(try connection.value("SELECT typeof(a) FROM t") == "blob")
    }

    @Test("More zeros than SQLite supports are an error, and the statement remains usable") func tooManyZeros() throws {
        let statement = try connection.prepare("SELECT length(?)")
        Refusal.expect(.sqlFailed) { try statement.run(ZeroBytes(.max)) }
        #expect(try statement.first(ZeroBytes(3)) { row in try row[0] as Int } == 3)
    }
}
