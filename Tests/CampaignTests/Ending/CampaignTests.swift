import Synchronization
import TestSupport
import Testing

@testable import EngineTestSupport

/// Campaigns stop between two steps at the end of their time, and print what they did.
@Suite("Campaigns")
struct CampaignTests {
    /// A clock that a test moves, a wish for the end, and the lines.
    private final class World: Sendable {
        let seconds = Mutex(0)
        let isEnding = Mutex(false)
        let lines = Mutex<[String]>([])

        func pass(_ more: Int) { seconds.withLock { $0 += more } }

        func surroundings(limit: Int?, isLong: Bool = true) -> Campaign.Surroundings {
            Campaign.Surroundings(
                limit: limit.map { .seconds($0) }, isLong: isLong, now: { .seconds(self.seconds.withLock { $0 }) },
                isEnding: { self.isEnding.withLock { $0 } }, show: { line in self.lines.withLock { $0.append(line) } })
        }
    }

    private let world = World()

    private func campaign(parts: Int = 1, limit: Int?, isLong: Bool = true) -> Campaign {
        Campaign("SomeTests", parts: parts, seed: 7, in: world.surroundings(limit: limit, isLong: isLong))
    }

    @Test("A part that does everything is complete, and counts")
    func complete() throws {
        let part = try #require(campaign(limit: 100).begin("kill, a"))
        for _ in 0..<3 where part.goesOn() {
            part.count("kills")
            world.pass(2)
        }
        #expect(part.isComplete(for: "the kills"))
        part.count("borders", 9)
        part.end()
        part.end()
        #expect(
            world.lines.withLock { $0 } == [
                "campaign SomeTests (kill, a): seed 7, 3 steps, 3 kills, 9 borders in 6.0 s, complete"
            ])
    }

    @Test("A part stops between two steps, and says what it did not check")
    func stopped() throws {
        let part = try #require(campaign(limit: 5).begin())
        for _ in 0..<9 where part.goesOn() { world.pass(3) }
        #expect(!part.isComplete(for: "the kills"))
        part.end()
        #expect(
            world.lines.withLock { $0 } == [
                "campaign SomeTests: seed 7, 2 steps in 6.0 s, stopped at its time; not checked: the kills"
            ])
    }

    @Test("A wish for the end lets the step finish")
    func asked() throws {
        let campaign = campaign(parts: 2, limit: nil)
        let part = try #require(campaign.begin("1"))
        #expect(part.goesOn())
        world.isEnding.withLock { $0 = true }
        #expect(!part.goesOn() && !part.goesOn())
        part.end()
        #expect(campaign.begin("2") == nil)
        #expect(
            world.lines.withLock { $0 } == [
                "campaign SomeTests (1): seed 7, 1 steps in 0.0 s, stopped by a signal",
                "campaign SomeTests (2): seed 7, 0 steps in 0.0 s, stopped by a signal",
            ])
    }

    @Test("Parts one after another divide the time, and what one leaves is the others'") func divided() throws {
        let campaign = campaign(parts: 4, limit: 40)
        var steps: [Int] = []
        for number in 0..<4 {
            let part = try #require(campaign.begin())
            var count = 0
            // The second part has little to do.
            while count < (number == 1 ? 1 : 99), part.goesOn() {
                count += 1
                world.pass(1)
            }
            part.end()
            steps.append(count)
        }
        #expect(steps == [10, 1, 15, 14])
    }

    @Test("Parts at the same time share it, and one that begins after it makes no step") func shared() throws {
        let campaign = campaign(parts: 3, limit: 30)
        let parts = try [1, 2].map { try #require(campaign.begin("\($0)")) }
        world.pass(19)
        for part in parts { #expect(part.goesOn()) }
        world.pass(1)
        for part in parts { #expect(!part.goesOn()) }
        parts[0].end()
        world.pass(10)
        #expect(campaign.begin("3") == nil)
        #expect(
            world.lines.withLock { $0 }.last == "campaign SomeTests (3): seed 7, 0 steps in 0.0 s, stopped at its time")
    }

    @Test("A plain run is limited by its counts, endless work in any run by its time")
    func plain() throws {
        let plain = try #require(campaign(limit: nil, isLong: false).begin())
        #expect((0..<9).filter { plain.goesOn(after: $0, of: 4) } == [0, 1, 2, 3])
        let timed = try #require(campaign(limit: 3, isLong: false).begin())
        world.pass(9)
        #expect(timed.goesOn())
        #expect(!timed.goesOn(after: 0, of: 4))
    }
}
