import Synchronization
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Random tampering by an attacker with the database's key, repeatable by its seed. `verify --fields` accepts none of
/// it except the declared kinds, and none of it makes a program or a command write plaintext.
@Suite("What an operator can do to a file with sealed columns")
struct OperatorMutationTests {
    /// The number of attempts: a few in a plain test run, all of them with LOCKSTEP_TORTURE=1.
    private static let attempts = Torture.isLong ? 2000 : 48
    /// The number of deeds tried on each file; all of them with LOCKSTEP_TORTURE=1.
    private static let deeds = Torture.isLong ? OperatorProgram.Deed.allCases.count : 3

    /// One attempt: the tampering, and the tampered file.
    private struct Attempt {
        let bench: TamperedDatabase
        let names: [String]
        let differences: OperatorTruth.Differences

        var description: String { names.joined(separator: " + ") }
    }

    /// Tampers until something differs.
    private static func tamper(
        _ dice: inout OperatorMutation.Dice, with fixed: OperatorMutation? = nil
    ) throws -> Attempt {
        for _ in 0..<100 {
            let bench = try TamperedDatabase(dice.prototype)
            let isPair = fixed == nil && dice.number(0...2) == 0
            var mutations = try [fixed ?? OperatorMutation.draw(&dice)]
            if isPair { mutations.append(try OperatorMutation.draw(&dice)) }
            var (before, after): (OperatorTruth?, OperatorTruth?)
            do {
                try bench.tamper { connection in
                    before = try OperatorTruth(connection)
                    for mutation in mutations { try mutation.apply(connection, &dice) }
                    after = try OperatorTruth(connection)
                }
            } catch is OperatorMutation.Nothing {
                continue
            } catch is LockstepError {
                // A change that SQLite itself refuses leaves the file unchanged.
                continue
            }
            guard let before, let after, before != after else { continue }
            let differences = before.differences(after, dice.prototype, dataset: try bench.keys().dataset)
            return Attempt(
                bench: bench, names: mutations.map(\.name), differences: differences)
        }
        throw LockstepError(.misuse, "nothing was different after 100 attempts")
    }

    private static func dice(_ number: Int) throws -> OperatorMutation.Dice {
        let prototype =
            number % 3 == 0 ? OperatorPrototype.migrating : OperatorPrototype.finished
        return OperatorMutation.Dice(
            generator: SplitMix64(state: Torture.campaignSeed &+ UInt64(number) &* 0xD1B5_4A32_D192_ED03),
            prototype: try prototype.get())
    }

    @Test(
        "The untouched file is accepted, and every deed is done without plaintext in it"
    )
    func untouched() throws {
        for prototype in [OperatorPrototype.finished, OperatorPrototype.migrating] {
            let bench = try TamperedDatabase(prototype.get())
            let report = try bench.verify()
            #expect(report.isClean, "\(report.messages)")
            for deed in OperatorProgram.Deed.allCases {
                let copy = try TamperedDatabase(copying: bench)
                let program = OperatorProgram(bench: copy, isCredulous: false)
                let refusals = try program.run(deed)
                #expect(refusals == [], "\(deed)")
                #expect(try !program.hasSpilled(deed), "\(deed)")
                if deed == .unprotect {
                    #expect(try copy.holds(OperatorProgram.noteMarker))
                }
            }
        }
    }

    @Test("No undeclared tampering is accepted, and none makes any program write plaintext") func campaign() throws {
        guard let part = Campaign("OperatorMutationTests").begin() else { return }
        defer { part.end() }
        let counts = Mutex<[String: Int]>([:])
        func count(_ what: String) { counts.withLock { $0[what, default: 0] += 1 } }
        for number in 0..<Self.attempts where part.goesOn() {
            var dice = try Self.dice(number)
            let attempt = try Self.tamper(&dice)
            let context: Comment = "attempt \(number): \(attempt.description)"
            let isAccepted: Bool
            do {
                isAccepted = try attempt.bench.verify().isClean
            } catch let error as LockstepError {
                isAccepted = false
                count("verify: \(error.code.rawValue)")
            }
            part.count(isAccepted ? "accepted as declared" : "noticed")
            if isAccepted {
                #expect(attempt.differences.due == [], context)
                for one in attempt.differences.undetected { count("\(one)") }
            }
            for deed in OperatorProgram.Deed.allCases.shuffled(using: &dice.generator)
                .prefix(Self.deeds)
            {
                let program = OperatorProgram(bench: try TamperedDatabase(copying: attempt.bench), isCredulous: false)
                for refusal in try program.run(deed) {
                    count("exit \(OperatorExit.code(refusal.code)) \(refusal.code.rawValue)")
                    if OperatorExit.code(refusal.code) == 1 {
                        count("exit 1, \(deed), \(refusal.code.rawValue), \(attempt.description)")
                    }
                }
                #expect(try !program.hasSpilled(deed), "\(context), \(deed)")
            }
        }
        for (what, count) in counts.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            print("operator: \(count) \(what)")
        }
    }

    @Test("Each kind of tampering alone is detected, or declared", arguments: [0, 1])
    func each(_ number: Int) throws {
        var dice = try Self.dice(number)
        for mutation in OperatorMutation.classes.joined() {
            let attempt: Attempt
            do {
                attempt = try Self.tamper(&dice, with: mutation)
            } catch let error as LockstepError where error.code == .misuse {
                Issue.record("\(mutation.name) does nothing")
                continue
            }
            do {
                guard try attempt.bench.verify().isClean else { continue }
            } catch is LockstepError {
                continue
            }
            #expect(attempt.differences.due == [], "\(mutation.name)")
        }
    }

    @Test(
        "Negative control: a program that trusts the file soon writes plaintext"
    )
    func credulous() throws {
        var spilled = 0
        var number = 0
        while spilled == 0, number < 400 {
            var dice = try Self.dice(number)
            let attempt = try Self.tamper(&dice)
            for deed in [OperatorProgram.Deed.write, .importing] where spilled == 0 {
                let program = OperatorProgram(bench: try TamperedDatabase(copying: attempt.bench), isCredulous: true)
                _ = try program.run(deed)
                if try program.hasSpilled(deed) { spilled += 1 }
            }
            number += 1
        }
        print("operator: plaintext after \(number) attempts without the checks")
        #expect(spilled > 0)
    }
}

/// The tool's exit code after a refusal, by ``LockstepError/Code``, as in the tool's Exit.swift.
enum OperatorExit {
    static func code(_ code: LockstepError.Code) -> Int32 {
        switch code {
        case .keyringTampered, .keyringOutdated, .damaged, .tampered, .cellMalformed, .cellForged,
            .registryForged, .registryMissing, .registryOlder, .foreignSchema, .foreignApplication:
            65
        case .migrationFailed, .rowsLost, .foreignKeysBroken, .schemaBroken: 7
        case .migrationChanged, .migrationMissing, .migrationUnfinished: 4
        case .migrationMalformed, .versionGap, .versionDuplicate, .outOfOrder: 9
        case .wrongKey, .keyringMismatch, .keyUnavailable: 6
        case .misuse, .bindMismatch: 64
        default: 1
        }
    }
}
