@testable import BenchKit
import Testing

@testable import LockstepBench

@Suite("Goals")
struct GoalTests {
    private func round(own: [Int64]) -> Round {
        Outcomes.round(
            .insert,
            [
                Outcomes.series("lockstep", "typed", .insert, cpu: own),
                Outcomes.series("grdb", "slow", .insert, cpu: [900, 900, 900]),
                Outcomes.series("grdb", "fast", .insert, cpu: [200, 210, 190]),
            ])
    }

    private let goal = Goal("typed", .cpu(atMost: 0.55, times: "grdb"))

    @Test("Fast enough, against the peer's fastest")
    func holds() throws {
        let verdict = try #require(goal.verdicts([round(own: [100, 101, 99])]).first)
        #expect(verdict.state == .holds)
        #expect(verdict.against == "fast")
        #expect(verdict.measured?.ofMedians == 0.5)
    }

    @Test("Too slow is a missed goal")
    func missed() throws {
        let verdict = try #require(goal.verdicts([round(own: [100, 150, 160])]).first)
        #expect(verdict.state == .missed)
        #expect(verdict.measured?.ofMedians == 0.75)
        #expect(verdict.measured?.least == 0.5)
    }

    @Test("The bound itself passes")
    func boundary() {
        #expect(goal.verdicts([round(own: [110, 110, 110])]).first?.state == .holds)
    }

    @Test("A goal can name its variants")
    func variants() {
        let goal = Goal("typed", .cpu(atMost: 0.55, times: "grdb", ["slow"]))
        #expect(goal.verdicts([round(own: [400, 400, 400])]).first?.state == .holds)
    }

    @Test("Without the peer, or without our variant, there is no verdict")
    func notMeasured() {
        let alone = Outcomes.round(.insert, [Outcomes.series("lockstep", "typed", .insert, cpu: [1])])
        #expect(goal.verdicts([alone]).map(\.state) == [.notMeasured])
        let other = Goal("codable", .cpu(atMost: 1, times: "grdb"))
        #expect(other.verdicts([round(own: [1])]).map(\.state) == [.notMeasured])
        #expect(goal.verdicts([]).isEmpty)
    }

    @Test("Throughput is by the wall clock, and more is better")
    func throughput() {
        let goal = Goal("tasks", .throughput(atLeast: 5, times: "grdb"))
        func state(_ own: Int64) -> Verdict.State? {
            goal.verdicts([
                Outcomes.round(
                    .concurrent,
                    [
                        Outcomes.series("lockstep", "tasks", .concurrent, cpu: [9], wall: [own]),
                        Outcomes.series("grdb", "pool", .concurrent, cpu: [1], wall: [500]),
                    ])
            ]).first?.state
        }
        #expect(state(100) == .holds)
        #expect(state(101) == .missed)
    }

    @Test("A speed ratio is by CPU time in the same variant, and more is better")
    func speed() {
        let goal = Goal("seal-16", .speed(atLeast: 4, times: "swift-crypto"))
        func state(_ own: Int64, _ variant: String = "seal-16") -> Verdict.State? {
            goal.verdicts([
                Outcomes.round(
                    .fields,
                    [
                        Outcomes.series("lockstep", "seal-16", .fields, cpu: [own], wall: [1]),
                        Outcomes.series("swift-crypto", variant, .fields, cpu: [1000]),
                    ])
            ]).first?.state
        }
        #expect(state(250) == .holds)
        #expect(state(251) == .missed)
        #expect(state(1, "open-16") == .notMeasured)
    }

    @Test("Where both use several cores, the wall counts")
    func wall() {
        let goal = Goal("jobs", .wall(atMost: 1.3, times: "c-sqlcipher"))
        func state(_ own: Int64) -> Verdict.State? {
            goal.verdicts([
                Outcomes.round(
                    .fleet,
                    [
                        Outcomes.series("lockstep", "jobs", .fleet, cpu: [9000], wall: [own]),
                        Outcomes.series("c-sqlcipher", "threads", .fleet, cpu: [1], wall: [100]),
                    ])
            ]).first?.state
        }
        #expect(state(130) == .holds)
        #expect(state(131) == .missed)
    }

    @Test("A bound in time")
    func time() {
        let goal = Goal("store", .wallMicroseconds(below: 1000))
        func state(_ own: Int64) -> Verdict.State? {
            goal.verdicts([Outcomes.round(.open, [Outcomes.series("lockstep", "store", .open, cpu: [own])])]).first?
                .state
        }
        #expect(state(999_999) == .holds)
        #expect(state(1_000_000) == .missed)
    }

    @Test("Reads in one transaction are not compared with reads in one each")
    func groups() {
        let each = Outcomes.round(
            .point,
            [
                Outcomes.series("lockstep", "async", .point, cpu: [10]),
                Outcomes.series("grdb", "pool", .point, cpu: [40]),
            ])
        let one = Outcomes.round(
            .point,
            [
                Outcomes.series("lockstep", "transaction", .point, cpu: [10]),
                Outcomes.series("grdb", "transaction", .point, cpu: [8]),
            ])
        let verdicts = Report([each, one], repetitions: 1).goals
        #expect(verdicts.map(\.state) == [.holds, .notMeasured, .missed, .notMeasured])
    }

    @Test("Each goal is about a variant of its workload")
    func known() {
        #expect(Workloads.all.contains { !$0.goals.isEmpty })
        for workload in Workloads.all {
            for goal in workload.goals { #expect(workload.variants.contains(goal.variant)) }
        }
    }
}
