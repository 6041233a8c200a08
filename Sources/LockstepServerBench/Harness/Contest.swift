/// One workload with all programs that can do it, in turns, so that a machine that slows down affects all of them.
struct Contest: Codable, Sendable {
    enum Name: String, Codable, CaseIterable, Sendable {
        case copyIn = "copy-in"
        case sealing
        case copyOut = "copy-out"
        case insert
        case lookup
        case migrate
    }

    struct Entry: Codable, Sendable {
        let name: String
        var samples: [Sample] = []
    }

    /// A program, and how it runs once.
    struct Turn {
        let name: String
        let run: () throws -> Sample
    }

    let name: Name
    let operations: Int
    var entries: [Entry]
    let goals: [ServerGoal]
    /// Programs that are not there, and why.
    let missing: [String]

    static func run(
        _ names: [Name], _ programs: ServerPrograms, repetitions: Int
    ) throws -> [Contest] {
        try names.map { name in
            let served = try ServerTurns(name, programs)
            let turns = served.turns
            var contest = Contest(
                name: name, operations: programs.operations(name), entries: turns.map { Entry(name: $0.name) },
                goals: name.goals, missing: served.missing)
            for repetition in 1...repetitions {
                // The first program runs on the machine as the one before left it: not the same one each time.
                let order = Array(turns.indices)
                for index in repetition.isMultiple(of: 2) ? order.reversed() : order {
                    contest.entries[index].samples.append(try turns[index].run())
                }
            }
            return contest
        }
    }
}

extension Contest.Name {
    var goals: [ServerGoal] {
        switch self {
        case .copyIn:
            [
                ServerGoal(own: "lockstep", limit: 1.1, peers: ["psql"]),
                ServerGoal(own: "lockstep", figure: .part("rows sent"), limit: 1.1, peers: ["psql"]),
                ServerGoal(own: "lockstep", figure: .peak, limit: 64),
                ServerGoal(own: "lockstep", figure: .peak, limit: 1.15, peers: ["lockstep, a fifth"]),
            ]
        case .sealing:
            [
                ServerGoal(own: "lockstep", limit: 1.5, peers: ["psql"]),
                ServerGoal(own: "lockstep", limit: 0.4, peers: ["pgcrypto"]),
            ]
        case .copyOut:
            [
                ServerGoal(own: "lockstep", limit: 1.2, peers: ["psql, own insert"]),
                ServerGoal(own: "lockstep", figure: .peak, limit: 64),
            ]
        case .insert:
            [ServerGoal(own: "lockstep", limit: 0.7, peers: ["psycopg", "sqlalchemy"])]
        case .lookup:
            [
                ServerGoal(own: "lockstep", limit: 1.15, peers: ["pgbench"]),
                ServerGoal(own: "lockstep, in a transaction", limit: 1.15, peers: ["pgbench"]),
            ]
        case .migrate: [ServerGoal(own: "lockstep", limit: 0.6, peers: ["alembic"])]
        }
    }
}
