import Lockstep
import TestServers
import TestSupport
import Testing

@testable import LockstepPostgres

/// A version whose effects are all said or declared passes on a server; with one declaration fewer it is stopped.
@Suite("The guard on a server against the rows before and after", .withServer)
struct ServerEffectPropertyTests {
    private static let campaign = Campaign("ServerEffectPropertyTests", parts: 1)

    private struct Tally {
        var declarations = 0
        var stopped = 0
        var problems: [String] = []
    }

    /// The rows of all tables by their first column, which nothing changes.
    private typealias Rows = [String: [Int: [String: Int?]]]

    @Test("Random scripts need exactly the declarations that the rows show")
    func sameEffects() throws {
        let start = Torture.campaignSeed &* 1_000_003
        guard let part = Self.campaign.begin("from \(start)") else { return }
        defer { part.end() }
        let server = try TestServer.connection()
        var (done, tally) = (0, Tally())
        while part.goesOn(after: done, of: 60) {
            try run(start &+ UInt64(done), server, &tally)
            done += 1
        }
        for problem in tally.problems.prefix(3) { Issue.record("\(problem)") }
        part.count("declarations", tally.declarations)
        part.count("stopped", tally.stopped)
        #expect(tally.stopped > done / 4, "the scripts try too little")
    }

    @Test("Control: a table that is left out is found")
    func control() throws {
        let server = try TestServer.connection()
        var tally = Tally()
        try UnsaidChanges.$leftOut.withValue("c") {
            for seed in 0..<300 where tally.problems.isEmpty { try run(UInt64(seed), server, &tally) }
        }
        #expect(!tally.problems.isEmpty)
    }

    private func run(_ seed: UInt64, _ server: borrowing ServerConnection, _ tally: inout Tally) throws {
        let script = ServerEffectScript(seed: seed)
        guard let needed = try needed(script, server)?.sorted() else { return }
        tally.declarations += needed.count
        func report(_ what: String) {
            let text = (script.schema + ["--"] + script.statements).joined(separator: ";\n")
            tally.problems.append("seed \(seed), needed \(needed): \(what)\n\(text)")
        }
        if let refusal = try outcome(script, needed, server) {
            report("declared exactly, and stopped: \(refusal.message)")
        }
        for left in needed.indices {
            var some = needed
            some.remove(at: left)
            let error = try outcome(script, some, server)
            if ![.rowsLost, .valuesLost].contains(error?.code) { report("without \(needed[left]), and not stopped") }
            tally.stopped += 1
        }
    }

    private func reset(_ script: ServerEffectScript, _ server: borrowing ServerConnection) throws {
        let sql = ["DROP SCHEMA public CASCADE", "CREATE SCHEMA public"] + script.schema
        for statement in sql { try server.execute(ServerSQL(verbatim: statement)) }
    }

    private func outcome(
        _ script: ServerEffectScript, _ declarations: [String], _ server: borrowing ServerConnection
    ) throws -> LockstepError? {
        try reset(script, server)
        do {
            _ = try ServerMigrator(ServerScratch.set(script.text(declarations))).run(on: server)
            return nil
        } catch let error as LockstepError {
            return error
        }
    }

    private func rows(_ server: borrowing ServerConnection) throws -> Rows {
        var all: Rows = [:]
        for table in ServerEffectScript.tables {
            let columns = try server.query(
                "SELECT attname::text FROM pg_attribute WHERE attrelid = \(table)::text::regclass AND attnum > 0"
            ) { try $0[0] as String }
            let list = columns.map { "\($0)::int8" }.joined(separator: ", ")
            for row in try server.query(
                ServerSQL(verbatim: "SELECT u::int8, \(list) FROM \(table)"),
                { row in
                    (try row[0] as Int64, try columns.indices.map { try row[$0 + 1] as Int64? })
                })
            {
                let values = row.1.map { $0.map { Int($0) } }
                all[table, default: [:]][Int(row.0)] = Dictionary(uniqueKeysWithValues: zip(columns, values))
            }
        }
        return all
    }

    /// What the rows show, statement by statement, in a transaction that is rolled back; nil if the script cannot run.
    private func needed(_ script: ServerEffectScript, _ server: borrowing ServerConnection) throws -> Set<String>? {
        try reset(script, server)
        let start = try rows(server)
        var needed: Set<String> = []
        try server.execute("BEGIN")
        defer { _ = try? server.execute("ROLLBACK") }
        var last = start
        var isReplacing = false
        for statement in script.statements {
            do {
                try server.execute(ServerSQL(verbatim: statement))
            } catch {
                return nil
            }
            if statement.hasPrefix("CREATE TABLE") { isReplacing = true }
            if statement.hasPrefix("ALTER TABLE") {
                isReplacing = false
                let now = try rows(server)
                // The guard compares the replaced table with the beginning of the version.
                for column in try changed("c", start, now) where !said(column, script) {
                    needed.insert("allow changed values of column c.\(column)")
                }
                last = now
                continue
            }
            guard !isReplacing else { continue }
            let now = try rows(server)
            for table in ServerEffectScript.tables where !script.said.contains(table) {
                for column in try changed(table, last, now) {
                    needed.insert(
                        table == "c" ? "allow changed values of column c.\(column)" : "unchecked table \(table)")
                }
            }
            last = now
        }
        for table in ServerEffectScript.tables
        where !Set(last[table, default: [:]].keys).isSuperset(of: start[table, default: [:]].keys) {
            needed.insert("allow loss of table \(table)")
        }
        if needed.contains("allow loss of table c"), script.replaces {
            // Only the number of the rows is judged then.
            needed = needed.filter { !$0.contains(" c.") }
        }
        return needed
    }

    private func said(_ column: String, _ script: ServerEffectScript) -> Bool {
        script.statements.contains { $0.contains("UPDATE c SET \(column) ") }
    }

    private func changed(_ table: String, _ before: Rows, _ after: Rows) throws -> Set<String> {
        var columns: Set<String> = []
        for (row, values) in before[table, default: [:]] {
            guard let now = after[table, default: [:]][row] else { continue }
            columns.formUnion(values.filter { now[$0.key] != .some($0.value) }.keys)
        }
        return columns
    }
}
