import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The rule of the three epochs.
struct FreshnessTests {
    private static let ring = [UInt8](repeating: 7, count: 16)
    private static let former = [UInt8](repeating: 8, count: 16)
    private static let foreign = [UInt8](repeating: 9, count: 16)

    private static func order(
        _ recorded: [[UInt8]: UInt64], epoch: UInt64 = 5, seen: UInt64 = 3,
        isPending: Bool = false, _ role: FileRole = .original
    ) -> Freshness.Order {
        Freshness(
            ring: ring, formerRings: [former], epoch: epoch, seen: seen, isPending: isPending
        ).order(recorded, role)
    }

    @Test("From what was noted to the keyring's epoch all is in order; outside one of them is older") func epochs() {
        for recorded: UInt64 in 1...9 {
            let expected: Freshness.Order =
                switch recorded {
                case ..<3: .databaseOlder(recorded)
                case 3...5: .inOrder
                default: .keyringOlder(than: recorded)
                }
            #expect(Self.order([Self.ring: recorded]) == expected)
            #expect(Self.order([Self.ring: recorded, Self.foreign: 99]) == expected)
        }
        #expect(Self.order([:]) == .databaseOlder(0))
        #expect(Self.order([:], seen: 0) == .inOrder)
    }

    @Test("What was recorded of a former ring counts for the database, and not against the keyring")
    func formerRings() {
        #expect(Self.order([Self.former: 2]) == .databaseOlder(2))
        #expect(Self.order([Self.former: 3]) == .inOrder)
        #expect(Self.order([Self.former: 9]) == .inOrder)
        #expect(Self.order([Self.foreign: 9]) == .databaseOlder(0))
    }

    @Test("The new file of an unfinished rotation is one version ahead")
    func pending() {
        #expect(Self.order([Self.ring: 6], isPending: true) == .inOrder)
        #expect(Self.order([Self.ring: 7], isPending: true) == .keyringOlder(than: 7))
    }

    @Test("A copy can be older than noted, and no newer than the keyring")
    func copies() {
        #expect(Self.order([Self.ring: 1], .copy) == .inOrder)
        #expect(Self.order([:], .copy) == .inOrder)
        #expect(Self.order([Self.ring: 6], .copy) == .keyringOlder(than: 6))
    }
}
