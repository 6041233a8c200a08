import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Many hostile schemas, each on a copy of one sealed database, and a program with the keys that works on it.
struct HostileSchemaCampaign {
    /// The result of one schema.
    struct Outcome {
        let schema: HostileSchema
        let taken: [HostileShape]
        let refusals: [String: Int]
        let violations: [String]
    }

    /// The result of all schemas.
    struct Counts {
        var schemas = 0
        var shapes: [HostileShape: Int] = [:]
        var refusals: [String: Int] = [:]
        /// Schemas that the program refused to open.
        var unopened = 0

        mutating func add(_ outcome: Outcome) {
            schemas += 1
            for shape in outcome.taken { shapes[shape, default: 0] += 1 }
            refusals.merge(outcome.refusals, uniquingKeysWith: +)
            if outcome.refusals.keys.contains(where: { $0.hasPrefix("open: ") }) { unopened += 1 }
        }

        var description: String {
            func lines(_ counts: [(String, Int)]) -> String {
                counts.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.map { "  \($0.1) \($0.0)" }
                    .joined(separator: "\n")
            }
            return """
                \(schemas) schemas, \(unopened) of them not opened
                shapes that SQLite took:
                \(lines(shapes.map { ($0.key.rawValue, $0.value) }))
                what the program was refused, and why:
                \(lines(refusals.map { ($0.key, $0.value) }))
                """
        }
    }

    let template: HostileTemplate
    let seed: UInt64
    private let folder: TemporaryFolder
    private let cells: [String]

    init(seed: UInt64 = Torture.campaignSeed) throws {
        self.seed = seed
        template = try HostileTemplate()
        folder = try TemporaryFolder()
        try Bytes.write(template.file, to: folder.file("clean.db"))
        let connection = try Connection.open(folder.file("clean.db"), key: HostileTemplate.databaseKey())
        cells = try connection.query("SELECT 'x''' || hex(title) || ''', ' || id FROM film") {
            try $0[0] as String
        }
    }

    /// Runs one schema of the campaign: the same number and seed give the same schema.
    func run(_ number: Int, _ kind: HostileVictim.Kind? = nil) throws -> Outcome {
        var dice = HostileDice(seed: seed &+ UInt64(number) &* 0xD1B5_4A32_D192_ED03)
        let some: [HostileVictim.Kind] = [.opened, .opened, .late]
        let drawn = dice.pick(some)
        let kind = kind ?? drawn
        let schema: HostileSchema
        switch kind {
        case .pasted where dice.chance(2): schema = .defaults(&dice, cells: cells)
        case .unchecked where dice.chance(2): schema = .computed(&dice, cells: cells)
        default: schema = HostileSchema(&dice, cells: cells)
        }
        let path = folder.file("\(number).db")
        try Bytes.write(template.file, to: path)
        defer { DatabaseScratch.remove(path) }
        let keys = dice.chance(2) ? template.newerKeys : template.keys
        var program = HostileProgram(template, keys, seed: UInt64(number))
        var taken: [HostileShape] = []
        var violations: [String] = []
        var capability: [UInt8]?
        let oracle = HostileOracle(template: template, keys: template.newerKeys)
        do {
            let victim = try HostileVictim(kind, path, template, keys) {
                taken = try HostileOperator(path).apply(schema)
            }
            capability = victim.capability
            program.work(victim)
            violations += oracle.wrongValues(victim, program, taken)
            // Including what is still in the log.
            violations += try oracle.leaks(in: path, capability)
        } catch {
            program.note("open", error)
        }
        if dice.chance(4) { program.verify(path) }
        do {
            violations += try oracle.leaks(in: path, capability)
            violations += try oracle.forgeries(in: path, program)
        } catch let error as LockstepError {
            program.note("dump", error)
        }
        violations += program.faults
        return Outcome(
            schema: schema, taken: taken,
            refusals: program.refusals.merging(["victim: \(kind.rawValue)": 1]) { $0 + $1 }, violations: violations)
    }

    /// Runs schemas until one violates a promise, and returns its number.
    func firstViolation(_ kind: HostileVictim.Kind, most: Int) throws -> (number: Int, what: [String])? {
        for number in 0..<most {
            let outcome = try run(number, kind)
            if !outcome.violations.isEmpty { return (number, outcome.violations) }
        }
        return nil
    }
}
