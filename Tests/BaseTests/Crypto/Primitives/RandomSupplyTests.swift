import Synchronization
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Supply of random bytes")
struct RandomSupplyTests {
    /// What the test's own generator hands out: 1, 2, 3 … as long as requests are small.
    private static let next = Atomic(UInt32(0))

    /// Two bytes per number, so that no two chunks in the tests below are alike.
    private static let counting: RandomSupply.Source = { bytes, count in
        guard let bytes = bytes else { return 0 }
        for index in stride(from: 0, to: Int(count) - 1, by: 2) {
            let number = RandomSupplyTests.next.add(1, ordering: .relaxed).newValue
            bytes[index] = UInt8(truncatingIfNeeded: number)
            bytes[index + 1] = UInt8(truncatingIfNeeded: number >> 8)
        }
        return 1
    }

    @Test("No bytes are handed out twice, whatever sizes are asked for")
    func once() throws {
        var supply = RandomSupply(from: Self.counting)
        var seen: Set<[UInt8]> = []
        for round in 0..<2000 {
            let count = [80, 2, 48, 16, 1280, 1278, 1300][round % 7]
            var bytes = [UInt8](repeating: 0, count: count)
            try #require(supply.fill(&bytes, Int32(count)))
            for index in stride(from: 0, to: min(count, 20), by: 2) {
                #expect(seen.insert(Array(bytes[index..<(index + 2)])).inserted)
            }
            if round % 5 == 0 { supply.discard() }
            // Two bytes can distinguish 65,536 numbers.
            if RandomSupplyTests.next.load(ordering: .relaxed) > 60_000 { break }
        }
        #expect(seen.count > 100)
    }

    @Test("Without random bytes it returns none", arguments: [Int32(1), 80, 1280, 1281, 5000])
    func failing(_ count: Int32) {
        var supply = RandomSupply { _, _ in 0 }
        // What libcrypto returns if a function is not supported.
        var other = RandomSupply { _, _ in -1 }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        #expect(!supply.fill(&bytes, count) && !other.fill(&bytes, count))
        #expect(bytes == [UInt8](repeating: 0, count: Int(count)))
    }

    /// Whether the generator below still works.
    private static let works = Atomic(true)

    @Test(
        "When the generator fails later, the remaining bytes are used up and then there are no more"
    )
    func failingLater() {
        var supply = RandomSupply { bytes, count in
            guard RandomSupplyTests.works.load(ordering: .relaxed) else { return 0 }
            for index in 0..<Int(count) { bytes?[index] = 7 }
            return 1
        }
        var bytes = [UInt8](repeating: 0, count: 80)
        #expect(supply.fill(&bytes, 80))
        Self.works.store(false, ordering: .relaxed)
        for _ in 0..<(RandomSupply.capacity / 80 - 1) {
            #expect(supply.fill(&bytes, 80))
        }
        #expect(!supply.fill(&bytes, 80))
        #expect(!supply.fill(&bytes, 80))
        Self.works.store(true, ordering: .relaxed)
        #expect(supply.fill(&bytes, 80))
    }

    @Test("A negative count is refused, and a count of zero succeeds")
    func counts() {
        var supply = RandomSupply()
        var byte: UInt8 = 9
        #expect(!supply.fill(&byte, -1))
        #expect(supply.fill(&byte, 0))
        #expect(byte == 9)
    }
}
