import Foundation
import Subprocess
import SystemPackage
import TestSupport

/// Rounds of two to four simultaneous commands on one database. About a third are killed, mostly beside a program
/// that writes. The expected content comes from the reports of each process, and not from the file.
struct CommandRounds {
    /// The events of all rounds.
    struct Counts {
        var rounds = 0
        var commands = 0
        var killed = 0
        var notes = 0
        /// How often a command failed, by its name and message.
        var refusals: [String: Int] = [:]
    }

    private(set) var counts = Counts()
    /// The defects, one line each.
    private(set) var findings: [String] = []
    private let folder: TemporaryFolder
    private let shell: ToolShell
    private let library: FilePath

    private var template: FilePath { folder.file("template") }
    private var work: FilePath { folder.file("work") }

    /// Creates the database of all rounds: 60 items with sealed names, 20 notes of which an older copy has 10.
    /// - Parameter library: The watched functions, from ``CommandFaults/makeLibrary(in:)``.
    init(library: FilePath) async throws {
        self.library = library
        folder = try TemporaryFolder()
        shell = ToolShell(home: folder.path)
        try FileManager.default.createDirectory(atPath: template.string, withIntermediateDirectories: false)
        let made = try await shell.run(
            CommandScenario.basics + """
                lockstep keys create-key-file l
                rm shop/0002_stock.sql shop/0003_index.sql
                printf '%s\\n' '-- lockstep: up' 'CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);' \\
                    'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10)' \\
                    "INSERT INTO note SELECT i, 'note ' || i FROM n;" \\
                    '-- lockstep: down' '-- lockstep: allow loss of table note' 'DROP TABLE note;' \\
                    >shop/0002_note.sql
                printf '%s\\n' '-- lockstep: up' \\
                    'WITH RECURSIVE n (i) AS (SELECT 11 UNION ALL SELECT i + 1 FROM n LIMIT 10)' \\
                    "INSERT INTO note SELECT i, 'note ' || i FROM n;" >shop/0003_notes.sql
                lockstep init --key-file k --dataset goods
                lockstep migrate --key-file k -m shop --to 2
                lockstep seal item.name --fields goods --key-file k --first-time
                lockstep keys create-key field --dataset goods --key-file k
                lockstep backup old.db --key-file k
                lockstep migrate --key-file k -m shop
                printf '%s\\n' '-- lockstep: up' 'CREATE INDEX note_text ON note (text);' \\
                    '-- lockstep: down' 'DROP INDEX note_text;' >shop/0004_index.sql

                """, in: template)
        guard made.status == .exited(0) else { throw CommandFaults.Failure(made.errors) }
    }

    /// Runs one round of some of these commands.
    /// - Parameter careless: A command that always takes part.
    mutating func round(
        _ commands: [RoundCommand], careless: RoundCommand? = nil, _ random: inout SplitMix64
    ) async throws {
        let files = FileManager.default
        if files.fileExists(atPath: work.string) { try files.removeItem(atPath: work.string) }
        try files.copyItem(atPath: template.string, toPath: work.string)
        var chosen = Array(commands.shuffled(using: &random).prefix(Int.random(in: 2...4, using: &random)))
        // If a restore comes first, it is unknown which notes of a writing program must exist.
        let isRestored = chosen.contains(where: \.isRestore)
        let hasWriter =
            careless != nil || !isRestored && Int.random(in: 0..<4, using: &random) > 0
        var kills: [Int?] = chosen.map { _ in
            Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 1...120, using: &random) : nil
        }
        if let careless {
            chosen.append(careless)
            kills.append(nil)
        }
        let place = chosen.map(\.name).joined(separator: " + ") + (hasWriter ? " + writer" : "")
        let (ends, notes) = try await runAll(chosen, kills, hasWriter: hasWriter)
        counts.rounds += 1
        counts.commands += chosen.count
        counts.notes += notes.there.count
        for (command, end) in zip(chosen, ends) {
            switch end.status {
            case .exited(0): break
            case .exited(3) where command.name == "status": break
            case .exited where end.errors.contains("error: ") || command.name == "verify":
                let said = end.errors.components(separatedBy: "error: ").last ?? ""
                let key = "\(command.name): \(said.prefix(60).prefix { $0 != "\n" })"
                counts.refusals[key, default: 0] += 1
            case .signaled(SIGKILL): counts.killed += 1
            default: findings.append("\(place): \(command.name) ended with \(end.status)")
            }
        }
        // As users do: interrupted or refused commands run to their end.
        for (command, end) in zip(chosen, ends) where end.status != .exited(0) {
            _ = try await shell.run(command.recovery ?? command.line, in: work)
        }
        let what = try await judge(
            zip(chosen, ends).filter { $1.status == .exited(0) }.compactMap(\.0.copy),
            notes, isRestored: isRestored,
            hasRotation: chosen.contains { $0.name == "rotate-database" })
        findings += what.map { "\(place): \($0)" }
    }

    private typealias End = ToolShell.Result

    /// Runs the commands, and the writing program until they have ended.
    private func runAll(_ commands: [RoundCommand], _ kills: [Int?], hasWriter: Bool) async throws -> ([End], Notes) {
        async let written = hasWriter ? writeNotes() : Notes()
        let ends = try await withThrowingTaskGroup(of: (Int, End).self) { group in
            for (number, (command, kill)) in zip(commands, kills).enumerated() {
                let watched: [Environment.Key: String] =
                    if let kill {
                        [
                            "LD_PRELOAD": library.string,
                            "LOCKSTEP_TEST_CALLS":
                                "\(CommandFaults.Fault.kill.rawValue) \(kill) \(work)",
                        ]
                    } else { [:] }
                group.addTask {
                    (
                        number,
                        try await shell.run(
                            command.line.contains(";") ? command.line : "exec \(command.line)", in: work, watched)
                    )
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }
                .map(\.1)
        }
        try Bytes.write([], to: work.appending("data.db.stop"))
        let notes = try await written
        try FileManager.default.removeItem(atPath: work.appending("data.db.stop").string)
        return (ends, notes)
    }

    /// The reports of the writing program.
    private struct Notes {
        var there: Set<Int> = []
        var maybe: Set<Int> = []
    }

    private func writeNotes() async throws -> Notes {
        let result = try await Subprocess.run(
            .path(Programs.path("Worker")),
            arguments: [
                "commits", "notes", work.appending("data.db").string,
                work.appending("data.db.keys/database.keyring").string, work.appending("k").string, "on", "1",
            ], output: .string(limit: 100_000_000), error: .string(limit: 100_000))
        guard result.terminationStatus == .exited(0) else {
            throw CommandFaults.Failure("the writer: \(result.standardError)")
        }
        var notes = Notes()
        for line in result.standardOutput.split(separator: "\n") {
            guard let number = Int(line.dropFirst("there ".count)) else { continue }
            if line.hasPrefix("there") {
                notes.there.insert(number)
            } else {
                notes.maybe.insert(number)
            }
        }
        return notes
    }

    // MARK: Expected content

    private func judge(
        _ copies: [String], _ notes: Notes, isRestored: Bool, hasRotation: Bool
    ) async throws -> [String] {
        var findings: [String] = []
        if isRestored {
            // The older copy can prove an older state of its sealed columns, which its user has confirmed.
            _ = try await shell.run(
                "lockstep keys accept-database --i-understand --key-file k --fields goods", in: work)
        }
        let applied = try await shell.run("lockstep migrate --key-file k -m shop", in: work)
        if applied.status != .exited(0) { findings.append("migrate at the end: \(applied.errors)") }
        let verified = try await shell.run("lockstep verify --key-file k -m shop --fields goods", in: work)
        if verified.status != .exited(0) {
            findings.append("verify: \(verified.text)\(verified.errors)")
        }
        let there = try await shell.run("lockstep query 'SELECT id FROM note' --key-file k --format json", in: work)
        let found = Self.numbers(there.text)
        let wanted = Set(1...20).union(notes.there)
        let missing = wanted.subtracting(found)
        let strange = found.subtracting(wanted).subtracting(notes.maybe)
        if !missing.isEmpty { findings.append("\(missing.count) notes are lost: \(there.errors)") }
        if !strange.isEmpty { findings.append("\(strange.count) notes that nobody wrote") }
        let items = try await shell.run(
            #"""
            for table in item_open item; do
                lockstep query "SELECT count(name), sum(price) FROM $table WHERE name LIKE 'item %'" \
                    --key-file k --fields goods --format json && break
            done
            """#, in: work)
        if !items.text.contains("60") || !items.text.contains("5490") {
            findings.append("items: \(items.text)\(items.errors)")
        }
        for copy in copies {
            let whole = try await shell.run(
                """
                lockstep query 'SELECT id FROM note WHERE id <= 20' -d \(copy) --format json \\
                    --keyring data.db.keys/database.keyring --key-file k
                """, in: work)
            // A copy that was made before the key changed is under the old one, and reports that.
            if whole.errors.contains("it is an old copy"), hasRotation { continue }
            let notes = Self.numbers(whole.text).count
            if whole.status != .exited(0) || notes != 20 && !(isRestored && notes == 10) {
                findings.append("\(copy) has \(notes) of 20 notes: \(whole.errors)")
            }
        }
        return findings
    }

    private static func numbers(_ text: String) -> Set<Int> {
        Set(text.split { !$0.isNumber }.compactMap { Int($0) })
    }
}
