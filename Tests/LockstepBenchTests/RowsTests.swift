import Testing

@testable import BenchKit
@testable import LockstepBench

@Suite("The rows of every peer")
struct RowsTests {
    @Test("The generator draws splitmix64's published numbers")
    func draws() {
        var generator = Generator(seed: 1_234_567)
        let published: [UInt64] = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        #expect(published.map { _ in generator.draw() } == published)
    }

    @Test("The first row, field by field")
    func first() {
        let record = Rows.record(1)
        #expect(record.id == 1)
        #expect([record.a, record.b, record.c] == [145, 48_875, 2_085_212_535])
        #expect(record.d == 8_196_980_753_821_780_235)
        #expect((record.ratio - 0.444264700826358).magnitude < 1e-15)
        #expect(record.first == "l82XssZg1FnSP7nFo9 1eYXJWnh0OcDLhPWB3c1")
        #expect(record.second == "AdqLKP20KiXQWBzHoXMvutbv7K5lXOCqjL93")
        #expect(Array(record.bytes.prefix(4)) == [0xF1, 0xAA, 0x2B, 0x57])
        #expect(record.bytes.count == 64)
    }

    @Test("Texts have 16 to 40 characters of ASCII, and both ends occur")
    func texts() {
        let lengths = Rows.records(1000).flatMap { [$0.first.utf8.count, $0.second.utf8.count] }
        #expect(lengths.min() == 16)
        #expect(lengths.max() == 40)
        #expect(Rows.records(100).allSatisfy { $0.first.utf8.allSatisfy { $0 < 128 } })
    }

    @Test("Keys are those of existing rows")
    func keys() {
        #expect(Rows.keys(1000, of: 7).allSatisfy { (1...7).contains($0) })
        #expect(Set(Rows.keys(1000, of: 7)).count == 7)
    }

    /// The answers are those of the peer in C.
    @Test(
        "Peers in other languages compute these checksums",
        arguments: [
            (WorkloadName.fill, 1, 1, "1e9968ffdcb71b47"),
            (.insert, 1000, 1000, "95eb493d4c6d3624"),
            (.commit, 7, 1000, "95eb493d4c6d3624"),
            (.point, 1000, 50, "9cfb63be777bf1c2"),
            (.blob, 7, 2, "260543fa9de6b33a"),
        ])
    func checksums(_ workload: WorkloadName, _ rows: Int, _ operations: Int, _ answer: String)
        throws
    {
        #expect(try workload.expected(rows, operations) == answer)
    }

    @Test("A checksum notices one bit of any field")
    func sensitivity() {
        let record = Rows.record(5)
        func hash(
            _ d: Int64? = nil, _ ratio: Double? = nil, _ second: String? = nil,
            _ bytes: [UInt8]? = nil
        ) -> String {
            var hash = RowHash()
            hash.add(
                Record(
                    id: record.id, a: record.a, b: record.b, c: record.c, d: d ?? record.d,
                    ratio: ratio ?? record.ratio, first: record.first,
                    second: second ?? record.second, bytes: bytes ?? record.bytes))
            return hash.hex
        }
        let changed = [
            hash(record.d ^ 1), hash(nil, record.ratio.nextUp), hash(nil, nil, String(record.second.dropLast())),
            hash(nil, nil, nil, Array(record.bytes.dropLast()) + [record.bytes[63] ^ 128]),
        ]
        #expect(Set(changed + [hash()]).count == 5)
    }
}
