import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The clock is the test's: nothing here depends on how fast anything runs.
struct ScryptCalibrationTests {
    private static let plenty = 1 << 40

    /// The result if N = 2^16 takes this many milliseconds.
    private static func calibrate(
        _ milliseconds: Int, target: Int = 750, memory: Int? = plenty, most: Int = 1 << 23
    ) throws -> Int {
        var measured: [Int] = []
        let cost = try Scrypt.Cost.calibrated(for: .milliseconds(target), memory: memory, maximum: most) { cost in
            measured.append(cost.logN)
            return .milliseconds(milliseconds)
        }
        #expect(measured == [16])
        #expect(cost.r == 8 && cost.p == 1)
        return cost.logN
    }

    @Test(
        "It takes as much as the time allows, from the standard to 2^20",
        arguments: [
            // milliseconds at 2^16, and the power
            (100_000, 17), (500, 17), (376, 17), (230, 17), (188, 17), (187, 18), (94, 18),
            (93, 19), (47, 19), (46, 20), (1, 20),
        ])
    func time(_ milliseconds: Int, _ power: Int) throws {
        #expect(try Self.calibrate(milliseconds) == power)
    }

    @Test("The caller sets the time that it should take", arguments: [(0, 17), (1600, 20)])
    func target(_ target: Int, _ power: Int) throws {
        #expect(try Self.calibrate(100, target: target) == power)
    }

    @Test(
        "At most a quarter of the memory is used, and the standard if its size is unknown",
        arguments: [
            (nil, 17), (0, 17), (512 << 20, 17), ((1 << 30) - 1, 17), (1 << 30, 18),
            ((2 << 30) - 1, 18), (2 << 30, 19), (4 << 30, 20), (8 << 30, 20),
        ] as [(Int?, Int)])
    func memory(_ memory: Int?, _ power: Int) throws {
        #expect(try Self.calibrate(1, memory: memory) == power)
    }

    @Test(
        "It stays within what other slots leave of the ceiling",
        arguments: [
            (1 << 23, 20), ((1 << 20) - 1, 19), (1 << 18, 18), ((1 << 18) - 1, 17), (0, 17),
        ])
    func ceiling(_ most: Int, _ power: Int) throws {
        #expect(try Self.calibrate(1, most: most) == power)
    }

    @Test("A clock that stands still or runs backwards gives the standard", arguments: [0, -5])
    func clock(_ milliseconds: Int) throws {
        #expect(try Self.calibrate(milliseconds) == 17)
    }

    @Test("If nothing can be measured, nothing is calibrated")
    func failure() {
        Refusal.expect(.cryptographyFailed) {
            _ = try Scrypt.Cost.calibrated(for: .seconds(1), memory: 0, maximum: 0) {
                _ throws(LockstepError) in
                throw LockstepError(.cryptographyFailed, "no memory")
            }
        }
    }

    @Test("The measured derivation is the real one, and needs 128 bytes times r and N")
    func real() throws {
        let cheap = Scrypt.Cost(logN: 14, r: 8, p: 1)
        #expect(try Scrypt.Cost.measure(cheap) > .zero)
        #expect(cheap.memory == 16 << 20)
        #expect(Scrypt.Cost.standard.memory == 128 << 20)
    }
}
