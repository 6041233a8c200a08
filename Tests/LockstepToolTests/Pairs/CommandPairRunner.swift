import Foundation
import Subprocess
import SystemPackage
import TestSupport

@testable import Lockstep

/// Runs two commands at once, and looks at what they leave: exit codes that ``CommandPairs`` allows, a database that
/// verifies with all its rows, keyrings that open.
///
/// Right is what one of the two orders gives. So where a command does not exit with 0, both orders are run, too.
struct CommandPairRunner: Sendable {
    private let folder: TemporaryFolder
    private let shell: ToolShell
    private let sets: [MigrationSet]

    /// Makes the databases that all pairs begin with: 30 items with four sealed columns, two of them under an old key;
    /// with two retired database keys, a version that is pending, and one that is begun.
    init() async throws {
        folder = try TemporaryFolder()
        shell = ToolShell(home: folder.path)
        let main = folder.file("main")
        try FileManager.default.createDirectory(atPath: main.string, withIntermediateDirectories: false)
        let notes = Programs.package.appending("Migrations/notes")
        try await Self.make(
            Self.setup.replacing("NOTES", with: notes.string), in: main, shell)
        try FileManager.default.copyItem(
            atPath: main.string, toPath: folder.file("begun").string)
        try await Self.make(Self.begin, in: folder.file("begun"), shell)
        sets = try MigrationSet.sets(in: main.appending("sets"))
    }

    private static func make(
        _ script: String, in place: FilePath, _ shell: ToolShell
    ) async throws {
        let made = try await shell.run(script, in: place)
        guard made.status == .exited(0) else {
            throw CommandFaults.Failure(made.errors + made.text)
        }
    }

    private static let setup = """
        set -e
        export LOCKSTEP_KEYS=Keys
        for name in k l n1 n2; do lockstep keys create-key-file $name; done
        lockstep keys generate-identity friend
        lockstep keys export-recipient friend >r
        echo 'a note' >note.txt
        mkdir -p sets/shop base base2 own
        cp -R NOTES sets/notes
        printf '%s\\n' '-- lockstep: up' 'CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, sort TEXT, colour TEXT,' \\
            'size TEXT, price INTEGER, stock TEXT, extra INTEGER CHECK (extra >= 0));' \\
            'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 30)' \\
            "INSERT INTO item SELECT i, 'name ' || i, 'sort ' || i, 'colour ' || i, 'size ' || i, i * 3, 'stock ' || i, 0 FROM n;" \\
            >sets/shop/0001_item.sql
        for i in 2 3 4; do
            printf '%s\\n' '-- lockstep: up' "CREATE TABLE part_$i (id INTEGER PRIMARY KEY);" '-- lockstep: down' \\
                "DROP TABLE part_$i;" >sets/shop/000${i}_part.sql
        done
        printf '%s\\n' '-- lockstep: up' '-- lockstep: backfill item batch=10' \\
            'UPDATE item SET extra = id WHERE id BETWEEN :first AND :last;' \\
            '-- lockstep: down' 'UPDATE item SET extra = 0;' >sets/shop/0005_extra.sql
        for set in base base2; do printf '%s\\n' '-- lockstep: up' 'SELECT 1;' >$set/0001_nothing.sql; done
        lockstep init -d other.db --key-file k
        lockstep migrate -d other.db --key-file k -m sets/shop --to 1
        lockstep export plain.sqlite -d other.db --plaintext --i-understand --key-file k
        lockstep init --key-file k --dataset goods
        lockstep migrate --key-file k -m sets/shop --to 4
        lockstep migrate --key-file k -m sets/notes
        for number in 1 2 3; do lockstep import notes note.txt --key-file k; done
        lockstep seal item.name item.sort item.colour item.size --fields goods --key-file k
        for kind in field manifest index; do lockstep keys create-key $kind --dataset goods --key-file k; done
        for kind in field manifest; do lockstep keys activate-key $kind 2 --dataset goods --key-file k; done
        lockstep reseal item.name item.sort --fields goods --key-file k
        lockstep issue x.keyring --dataset goods --key-file k --recipient "$(cat r)" |
            sed -n 's/^signed by //p' >p
        for kind in field manifest; do lockstep keys create-key $kind --dataset goods --key-file k; done
        lockstep keys activate-key manifest 3 --dataset goods --key-file k
        lockstep keys add-slot one -d data.db --key-file k --new-key-file n1
        lockstep keys add-slot two -d data.db --key-file k --new-key-file n2
        for i in 1 2; do lockstep keys rotate-database --key-file k; done
        lockstep migrate --key-file k --fields goods -m sets/shop --to 4
        for name in old.db fork.db fork2.db; do lockstep backup $name --key-file k; done

        """

    private static let begin = """
        set -e
        export LOCKSTEP_KEYS=Keys
        sed -i 's/extra = id/extra = CASE id WHEN 25 THEN -1 ELSE id END/' sets/shop/0005_extra.sql
        ! lockstep migrate --key-file k --fields goods -m sets/shop 2>/dev/null
        sed -i 's/extra = CASE id WHEN 25 THEN -1 ELSE id END/extra = id/' sets/shop/0005_extra.sql
        lockstep status --key-file k -m sets/shop | grep -q begun

        """

    // MARK: Running

    /// Runs the commands at once.
    /// - Parameter lane: A number of which no other call runs at the same time.
    /// - Returns: What is wrong, one line each.
    func run(
        _ one: PairCommand, _ other: PairCommand, lane: Int
    ) async throws -> [String] {
        let second = one.name == other.name ? other.second ?? other.line : other.line
        let pair = Pair(lines: [one.line, second], begun: one.needsBegun || other.needsBegun, lane: lane)
        let work = try place(pair)
        async let first = shell.run(pair.lines[0], in: work)
        let ends = try await [shell.run(pair.lines[1], in: work), first].reversed() as [End]
        let name = "\(one.name) + \(other.name)"
        var findings: [String] = []
        let codes = ends.map(Self.code)
        let isRefusable = CommandPairs.outcome(one.kind, other.kind) == .refuses
        if codes != [0, 0] {
            let serial = try await serial(pair)
            if !Self.isRight(codes, serial, isRefusable) {
                let said = ends.map { $0.errors.prefix(300) + $0.text.suffix(300) }
                findings.append("\(name): exits \(codes), alone \(serial): \(said)")
            }
        }
        // The second of two such commands makes another database.
        let makers = one.name == other.name && other.second != nil ? [one] : [one, other]
        let made = zip(makers, codes).filter { $1 == 0 }.compactMap(\.0.made)
        findings += try judge(work, made).map { "\(name), exits \(codes): \($0)" }
        return findings
    }

    private typealias End = ToolShell.Result

    private struct Pair {
        let lines: [String]
        let begun: Bool
        let lane: Int
    }

    /// A folder in the state before the commands.
    private func place(_ pair: Pair, in name: String = "work") throws -> FilePath {
        let work = folder.file("\(name)-\(pair.lane)")
        try? FileManager.default.removeItem(atPath: work.string)
        try FileManager.default.copyItem(atPath: folder.file(pair.begun ? "begun" : "main").string, toPath: work.string)
        return work
    }

    /// The exit code; a negative number for a signal.
    private static func code(_ end: End) -> Int32 {
        switch end.status {
        case .exited(let code): code
        case .signaled(let signal): -signal
        }
    }

    /// The exit codes of each order: of the first line, then of the second.
    private func serial(_ pair: Pair) async throws -> [[Int32]] {
        var orders: [[Int32]] = []
        for order in [[0, 1], [1, 0]] {
            let work = try place(pair, in: "serial")
            var codes: [Int32] = [0, 0]
            for number in order {
                codes[number] = Self.code(try await shell.run(pair.lines[number], in: work))
            }
            orders.append(codes)
        }
        return orders
    }

    /// - Parameter serial: The codes if the first comes first, and if the second does.
    static func isRight(_ codes: [Int32], _ serial: [[Int32]], _ isRefusable: Bool) -> Bool {
        if serial.contains(codes) { return true }
        let alone = [serial[0][0], serial[1][1]]
        return isRefusable && (codes == [5, alone[1]] || codes == [alone[0], 5])
    }

    // MARK: What must hold

    private func judge(
        _ work: FilePath, _ made: [(database: String, keyring: String)]
    ) throws -> [String] {
        do {
            var findings = try judge(work.appending("data.db"), in: work)
            let old = ["old.db", "fork.db", "fork2.db"].map { ($0, "Keys/data.database.keyring") }
            for (database, keyring) in old + made {
                let path = work.appending(database)
                let keyring = try open(keyring, work)
                var options = ConnectionOptions()
                options.isQueryOnly = true
                let connection = try Connection.open(path, key: keyring.databaseKey(ofBackup: path), options: options)
                if database == "new.db" { continue }
                let count = try connection.value("SELECT count(*) FROM item", as: Int.self)
                if count != 30 { findings.append("\(database) has \(count ?? 0) items") }
            }
            return findings
        } catch let error as LockstepError {
            return ["\(error.code) \(error)"]
        }
    }

    /// Opens a keyring, which a command can have moved beside the database.
    private func open(_ name: String, _ work: FilePath) throws -> Keyring {
        let beside = "data.db.keys/" + name.replacing("Keys/", with: "").replacing("data.", with: "")
        let files = [name, beside].map { KeyringFile(work.appending($0)) }
        let file = files.first(where: \.exists) ?? files[0]
        return try file.open { _ in try KeyFile.read(work.appending("k")) }
    }

    private func judge(_ path: FilePath, in work: FilePath) throws -> [String] {
        let keyring = try open("Keys/data.database.keyring", work)
        let goods = try open("Keys/goods.fields.keyring", work).fieldKeys(named: "goods")
        var findings: [String] = []
        var sets = sets
        do {
            var options = ConnectionOptions()
            options.fieldKeys = [goods]
            let connection = try Connection.open(path, key: keyring.databaseKey(for: path), options: options)
            for set in sets { _ = try Migrator(set).run(on: connection) }
            let recorded = Set(try Ledger.history(connection).entries.map(\.set))
            for base in ["base", "base2"] where recorded.contains(base) {
                sets.append(try MigrationSet(folder: work.appending(base)))
            }
            let rows = try connection.query(Self.rows) { row in
                try (0..<7).map { "\(try row[$0] as Int)" }.joined(separator: " ")
            }
            if rows != Self.expected { findings.append("rows: \(rows)") }
        }
        var verification = Verification(path, sets: sets)
        verification.fieldKeys = [goods]
        let report = try verification.run(keyring: keyring)
        for outcome in report.outcomes where outcome.hasFailed {
            findings.append("\(outcome.check.rawValue): \(outcome.findings)")
        }
        return findings
    }

    private static let rows: SQL = """
        SELECT count(*), sum(name = 'name ' || id), sum(sort = 'sort ' || id), sum(colour = 'colour ' || id),
            sum(size = 'size ' || id), sum(price), sum(stock = 'stock ' || id) FROM item_open
        """
    private static let expected = ["30 30 30 30 30 1395 30"]
}
