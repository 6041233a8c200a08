import SystemPackage
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A program with the keys, which works on the operator's file and remembers what it wrote where.
struct HostileProgram {
    /// The values written to a place.
    struct History: Sendable {
        /// All values that were possibly written, accepted or not.
        var possible: Set<String> = []
        /// The value accepted last; nil for a row that never existed or was deleted.
        var current: String?
    }

    private(set) var history: [HostilePlace: History]
    /// The refusals, by error code.
    private(set) var refusals: [String: Int] = [:]
    /// Operations that ended in an error of another library, or returned what they must not.
    private(set) var faults: [String] = []
    /// The checks of `verify` that failed.
    private(set) var failedChecks: [VerificationReport.Check] = []
    /// The draft's plaintext before it was sealed.
    private(set) var drafts: Set<String> = []
    /// Whether the column `plain.draft` was meant to be sealed at any time.
    private(set) var hasDraft = false
    private var dice: HostileDice
    private var count = 0
    private let template: HostileTemplate
    private let keys: FieldKeys

    init(_ template: HostileTemplate, _ keys: FieldKeys, seed: UInt64) {
        self.template = template
        self.keys = keys
        history = template.values.mapValues { History(possible: [$0], current: $0) }
        dice = HostileDice(seed: seed)
    }

    /// All values that were written to a column, and can therefore be in its cells.
    func values(of table: String, _ column: String) -> Set<String> {
        Set(
            history.filter { $0.key.table == table && $0.key.column == column }
                .flatMap(\.value.possible))
    }

    // MARK: Running

    /// Runs `body`, which can be refused. True if it succeeded.
    @discardableResult
    private mutating func attempt(_ what: String, _ body: (inout Self) throws -> Void) -> Bool {
        do {
            try body(&self)
            return true
        } catch let error as LockstepError {
            refusals["\(what): \(error.code.rawValue)", default: 0] += 1
            for text in [error.message, error.hint ?? ""] where text.contains(HostileTemplate.magic) {
                faults.append("an error of \(what) shows a value: \(text)")
            }
        } catch {
            faults.append("\(what) ended in \(type(of: error)): \(error)")
        }
        return false
    }

    /// Records an error that kept the program from starting.
    mutating func note(_ what: String, _ error: any Error) {
        attempt(what) { _ in throw error }
    }

    private mutating func value(_ what: String) -> String {
        count += 1
        // Twice, so that half of it also shows the word.
        return "\(what) \(HostileTemplate.magic) \(count) \(HostileTemplate.magic)"
    }

    /// Runs a statement that writes these values; even if it is refused, they were possibly written.
    private mutating func write(
        _ what: String, _ values: [(HostilePlace, String?)],
        _ body: () throws -> Void
    ) {
        var isDone = false
        // A refused write can still have been made by a conflict action that the operator chose.
        for (place, value) in values {
            if let value { history[place, default: History()].possible.insert(value) }
        }
        isDone = attempt(what) { _ in try body() }
        guard isDone else { return }
        for (place, value) in values { history[place, default: History()].current = value }
    }

    /// The same for writes that are undone as a whole.
    private mutating func transaction(_ what: String, _ body: (inout Self) throws -> Void) {
        let before = history
        guard !attempt(what, body) else { return }
        for place in history.keys {
            history[place, default: History()].current = before[place]?.current
        }
    }

    /// A program's work with the views of one connection.
    mutating func work(_ victim: borrowing HostileVictim) {
        // Without an enclosing transaction first: those check whether the schema has changed.
        insert(victim.connection)
        update(victim.connection)
        if victim.kind.isWhole {
            transaction("transaction") { program in
                try victim.connection.write { connection in
                    program.insert(connection)
                    program.update(connection)
                }
            }
            look(victim.connection)
            single(victim.connection)
            change(victim)
        }
        delete(victim.connection)
        readAll(victim.connection)
    }

    // MARK: Rows

    private mutating func insert(_ connection: borrowing Connection) {
        let id = 10 + count
        for named in [true, false] {
            let id = named ? id : id + 1
            let (title, note, genre) = (value("title"), value("note"), value("genre"))
            var places: [(HostilePlace, String?)] = [
                (HostilePlace("film", ["\(id)"], "title"), title), (HostilePlace("film", ["\(id)"], "note"), note),
            ]
            if named { places.append((HostilePlace("film", ["\(id)"], "genre"), genre)) }
            write("insert", places) {
                if named {
                    try connection.execute(
                        "INSERT INTO film_open (id, title, year, note, genre) VALUES (?, ?, 1942, ?, ?)",
                        id, title, note, genre)
                } else {
                    // The file supplies the omitted values, if it has literals for them.
                    try connection.execute("INSERT INTO film_open (id, title, note) VALUES (?, ?, ?)", id, title, note)
                }
            }
        }
        let (secret, code, entry) = (value("pair"), value("code"), value("entry"))
        write("insert", [(HostilePlace("pair", ["\(id)", "k\(id)"], "secret"), secret)]) {
            try connection.execute("INSERT INTO pair_open (a, b, secret) VALUES (?, ?, ?)", "k\(id)", id, secret)
        }
        write("insert", [(HostilePlace("code", ["c\(id)"], "cl\u{E9}"), code)]) {
            try connection.execute("INSERT INTO code_open (c, \(name: "cl\u{E9}")) VALUES (?, ?)", "c\(id)", code)
        }
        write("insert", [(HostilePlace("log", ["\(id)"], "entry"), entry)]) {
            try connection.execute(
                "INSERT INTO log_open (id, entry) VALUES (?, ?)", id, entry)
        }
        attempt("insert") { program in
            let entry = program.value("entry")
            program.history[HostilePlace("log", [], "entry"), default: History()].possible
                .insert(entry)
            try connection.execute("INSERT INTO log_open (entry) VALUES (?)", entry)
        }
        attempt("insert") { program in
            // The title comes from the file, which has a literal for it.
            try connection.execute("INSERT INTO film_open (id) VALUES (?)", 5000 + id)
        }
        attempt("insert") { program in
            try connection.execute("INSERT INTO plain (x, draft) VALUES ('x', 'draft')")
        }
    }

    private mutating func update(_ connection: borrowing Connection) {
        let id = 1 + dice.number(below: 2)
        let title = value("title")
        write("update", [(HostilePlace("film", ["\(id)"], "title"), title)]) {
            try connection.execute("UPDATE film_open SET title = ? WHERE id = ?", title, id)
        }
        let (note, genre) = (value("note"), value("genre"))
        write("update", [(HostilePlace("film", ["3"], "note"), note), (HostilePlace("film", ["3"], "genre"), genre)]) {
            try connection.execute(
                "UPDATE OR REPLACE film_open SET note = ?, genre = ?, year = year + 1 WHERE id = 3", note, genre)
        }
        let secret = value("pair")
        write("update", [(HostilePlace("pair", ["2", "a2"], "secret"), secret)]) {
            try connection.execute("UPDATE pair_open SET secret = ? WHERE b = 2", secret)
        }
        let code = value("code")
        write("update", [(HostilePlace("code", ["c1"], "cl\u{E9}"), code)]) {
            try connection.execute("UPDATE code_open SET \(name: "cl\u{E9}") = ? WHERE c = 'c1'", code)
        }
    }

    private mutating func delete(_ connection: borrowing Connection) {
        let gone = ["title", "note", "genre"].map {
            (HostilePlace("film", ["4"], $0), nil as String?)
        }
        write("delete", gone) { try connection.execute("DELETE FROM film_open WHERE id = 4") }
        write("delete", [(HostilePlace("pair", ["4", "a4"], "secret"), nil)]) {
            try connection.execute("DELETE FROM pair_open WHERE b = 4")
        }
    }

    // MARK: Looking up

    private mutating func look(_ connection: borrowing Connection) {
        let sought = history[HostilePlace("film", ["3"], "title")]?.current
        guard let sought else { return }
        attempt("matching") { program in
            let match = try connection.matching("title", of: "film", .equal(.text(sought)))
            let found = try connection.query("SELECT title FROM film_open WHERE \(match)") { row in
                try row[0] as String?
            }
            for title in found where title != sought {
                program.faults.append("what was looked for is not what was found")
            }
        }
        attempt("matching") { _ in
            let match = try connection.matching(
                "title", of: "film", .same(as: .text(sought.uppercased()), under: .casefold))
            _ = try connection.query("SELECT title FROM film_open WHERE \(match)") { row in
                try row[0] as String?
            }
        }
    }

    /// Single cells, without the view.
    private mutating func single(_ connection: borrowing Connection) {
        let note = value("note")
        write("sealing", [(HostilePlace("film", ["2"], "note"), note)]) {
            let cell = try connection.sealing("note", of: "film", value: "\(note)", key: "id")
            try connection.execute("UPDATE film SET note = \(cell) WHERE id = 2")
        }
        attempt("opening") { _ in
            let entry = try connection.opening("entry", of: "log", key: "id")
            _ = try connection.query("SELECT \(entry) FROM log") { row in try row[0] as String? }
        }
        attempt("token") { program in
            let token = try connection.token("genre", of: "film", index: .exact, value: "\(program.value("genre"))")
            _ = try connection.query("SELECT id FROM film WHERE genre_exact_token = \(token)") {
                row in try row[0] as Int64?
            }
        }
    }

    // MARK: Changing

    private mutating func change(_ victim: borrowing HostileVictim) {
        let keys = keys
        switch dice.number(below: 8) {
        case 0:
            attempt("reseal") { _ in
                try victim.connection.reseal("title", of: "film", keys: keys, batch: 3)
                try victim.connection.reseal("secret", of: "pair", keys: keys)
            }
        case 1: attempt("vacuum") { _ in try victim.connection.vacuum() }
        case 2:
            noteDrafts(victim.connection)
            attempt("migrate") { _ in
                _ = try Migrator(Self.migrations).run(on: victim.connection)
            }
        case 3:
            noteDrafts(victim.connection)
            attempt("protect") { program in
                try victim.connection.protect("draft", of: "plain", keys: keys)
                let draft = program.value("draft")
                program.drafts.insert(draft)
                try victim.connection.execute("INSERT INTO plain_open (id, draft) VALUES (900, ?)", draft)
            }
        case 4:
            transaction("import") { program in
                try victim.connection.write { connection in
                    let table = try connection.readable("code")
                    let insert = try connection.prepare("INSERT INTO \(table) (c, \(name: "cl\u{E9}")) VALUES (?, ?)")
                    for row in 0..<5 {
                        let place = HostilePlace("code", ["import\(row)"], "cl\u{E9}")
                        let value = program.value("code")
                        program.history[place] = History(possible: [value], current: value)
                        try insert.run("import\(row)", value)
                    }
                }
            }
        default: break
        }
    }

    private mutating func noteDrafts(_ connection: borrowing Connection) {
        hasDraft = true
        attempt("reading") { program in
            program.drafts.formUnion(
                try connection.query("SELECT CAST(draft AS TEXT) FROM plain") {
                    try $0[0] as String?
                }.compactMap(\.self))
        }
    }

    private static var migrations: MigrationSet {
        get throws {
            try MigrationSet(
                name: "films",
                files: [
                    (
                        name: "0001_more.sql",
                        content: """
                        -- lockstep: up
                        ALTER TABLE film ADD COLUMN more TEXT;
                        ALTER TABLE plain RENAME COLUMN x TO y;
                        ALTER TABLE log RENAME COLUMN entry TO line;
                        ALTER TABLE log RENAME COLUMN line TO entry;
                        """
                    ),
                    (
                        name: "0002_draft.sql",
                        content: """
                        -- lockstep: up
                        -- lockstep: protect plain.draft dataset=catalogue batch=3
                        UPDATE film SET more = 'more';
                        """
                    ),
                ])
        }
    }

    /// Verifies the file after all connections have closed.
    mutating func verify(_ path: FilePath) {
        let keys = keys
        attempt("verify") { program in
            var verification = Verification(path, sets: [])
            verification.fieldKeys = [keys]
            let report = try verification.run(key: HostileTemplate.databaseKey())
            program.failedChecks = report.failed
            program.refusals["verify: \(report.failed.isEmpty ? "sound" : "failed")", default: 0] += 1
            for text in report.messages where text.contains(HostileTemplate.magic) {
                program.faults.append("a finding of verify shows a value: \(text)")
            }
        }
    }

    // MARK: Reading

    /// Reads everything in the file, including the file's own views.
    private mutating func readAll(_ connection: borrowing Connection) {
        var names: [String] = []
        attempt("reading") { _ in
            names = try connection.query(
                "SELECT name FROM sqlite_schema WHERE lower(type) IN ('table', 'view')"
            ) { try $0[0] as String }
        }
        for name in names {
            attempt("reading") { _ in
                _ = try connection.query("SELECT * FROM main.\(name: name) LIMIT 20") { row in
                    row.count
                }
            }
        }
    }
}
