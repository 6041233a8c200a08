import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The source of a way down: the file; the database's own record only on demand and without keys.
@Suite("Ways down, recorded and from files")
struct RecordedDownTests {
    /// The database after the operator has written `sql` as the way down of the newest version.
    private func planted(
        _ victim: LedgerVictim, _ sql: String = LedgerVictim.planted
    ) throws -> Connection {
        let connection = try victim.database()
        try connection.with(rights: .engine) {
            try connection.execute(
                """
                UPDATE lockstep_migration SET down = ?, mac = NULL, mac_dataset = NULL, mac_key_version = NULL
                WHERE "set" = 'films' AND version = '3'
                """, sql)
        }
        return connection
    }

    private func older(_ count: Int = 2) throws -> MigrationSet {
        try MigrationSet(name: "films", files: Array(LedgerVictim.files.prefix(count)))
    }

    private func withoutCodes(_ victim: LedgerVictim) throws -> Connection {
        let connection = try victim.database()
        try LedgerVictim.forge(
            """
            UPDATE lockstep_migration SET down = '\(LedgerVictim.planted)' WHERE "set" = 'films' AND version = '3';
            """, connection)
        return connection
    }

    @Test("A version is undone by its file, and errors name the place in it")
    func ownWay() throws {
        let victim = try LedgerVictim()
        let connection = try victim.database()
        let plan = try Migrator(victim.films).plan(.back(1), on: connection)
        guard case .down(let entry, .own(.file(let file)))? = plan.steps.first else {
            Issue.record("\(plan.steps)")
            return
        }
        #expect(entry.version == MigrationVersion(3) && file.fileName == "0003_note.sql")
        let preview = try Migrator(victim.films).preview(.back(1), on: connection)
        #expect(preview.steps.map(\.title) == ["films/0003_note.sql"])
        #expect(preview.steps.flatMap(\.statements).map(\.line) == [4])
        let broken = try MigrationSet(
            name: "bad", files: [(name: "1_x.sql", content: Scratch.up("CREATE TABLE x (y);", down: "DROP TABLE z;"))])
        _ = try Migrator(broken).run(on: connection)
        let error = #expect(throws: LockstepError.self) {
            try Migrator(broken).run(.back(1), on: connection)
        }
        #expect(error?.message.hasPrefix("bad/1_x.sql:4: ") == true, "\(error?.message ?? "")")
    }

    @Test("Without the file it is refused with an alternative, and runs on demand") func missingFile() throws {
        let victim = try LedgerVictim()
        let connection = try victim.database()
        for target: Plan.Target in [.back(1), .version(MigrationVersion(2)), .downTo(MigrationVersion(2)), .redo(1)] {
            let error = #expect(throws: LockstepError.self) {
                try Migrator(older()).run(target, on: connection)
            }
            #expect(error?.code == .migrationMissing)
            #expect(error?.message.hasPrefix("films 3 cannot be undone: its file is gone") == true)
            #expect(error?.hint?.contains("RecordedDown.allowed") == true)
        }
        #expect(try Scratch.int(connection, "SELECT count(*) FROM note") == 0)
        let report = try Migrator(older(), recordedDown: .allowed).run(.back(1), on: connection)
        #expect(report.steps.map(\.version.description) == ["3"])
        #expect(try Ledger.entries(connection).filter { $0.set == "films" }.count == 2)
        // If the file exists and is sound, the file's way down is used then, too.
        let plan = try Migrator(older(), recordedDown: .allowed).plan(.back(1), on: connection)
        guard case .down(_, .own)? = plan.steps.first else {
            Issue.record("\(plan.steps)")
            return
        }
    }

    @Test("A file that differs from the applied one undoes nothing; the record does, on demand")
    func editedFile() throws {
        let victim = try LedgerVictim()
        let connection = try victim.database()
        var files = LedgerVictim.files
        files[2].content = Scratch.up("CREATE TABLE note (x, y);", down: "DROP TABLE film;")
        let edited = try MigrationSet(name: "films", files: files)
        for target: Plan.Target in [.back(1), .redo(1), .version(MigrationVersion(2))] {
            let error = #expect(throws: LockstepError.self) {
                try Migrator(edited).run(target, on: connection)
            }
            #expect(error?.code == .migrationChanged)
            #expect(error?.hint?.contains("restore the original file") == true)
            #expect(error?.hint?.contains("RecordedDown.allowed") == true)
        }
        let report = try Migrator(edited, recordedDown: .allowed).run(.redo(1), on: connection)
        #expect(report.steps.map(\.isUp) == [false, true])
        #expect(try connection.prepare("SELECT * FROM note").columnNames == ["x", "y"])
    }

    @Test(
        "The control: SQL that the operator planted runs if it is requested and the file is gone")
    func control() throws {
        let connection = try withoutCodes(LedgerVictim())
        Refusal.expect(.migrationMissing) {
            _ = try Migrator(older()).run(.back(1), on: connection)
        }
        #expect(try LedgerVictim.strangers(connection) == [])
        _ = try Migrator(older(), recordedDown: .allowed).run(.back(1), on: connection)
        #expect(try LedgerVictim.strangers(connection) == ["loot"])
    }

    @Test("On a connection with field keys it never runs, whatever is requested")
    func withKeys() throws {
        let victim = try LedgerVictim(fields: [CellWorkbench.keys()])
        let connection = try planted(victim)
        for target: Plan.Target in [.latest, .back(1), .redo(1), .version(MigrationVersion(1))] {
            for set in [try older(), victim.films] {
                let error = #expect(throws: LockstepError.self) {
                    try Migrator(set, recordedDown: .allowed).run(target, on: connection)
                }
                #expect(error?.code == .misuse)
                #expect(error?.hint?.contains("ConnectionOptions.fieldKeys") == true)
            }
            #expect(try victim.refusal(of: target, connection, older()) == .migrationMissing)
        }
        #expect(try LedgerVictim.strangers(connection) == [])
    }

    @Test("Without keys it has neither views nor the functions that open cells")
    func noFunctions() throws {
        let scratch = try DatabaseScratch()
        let keys = try CellWorkbench.keys(named: "catalogue")
        var options = ConnectionOptions()
        options.fieldKeys = [keys]
        let victim = try LedgerVictim(fields: [keys])
        do {
            let connection = try scratch.create(options)
            _ = try Migrator(victim.films).run(on: connection)
            try connection.execute("INSERT INTO film (title) VALUES ('Laura')")
            try connection.protect("title", of: "film", keys: keys)
            #expect(try connection.texts("SELECT title FROM film_open") == ["Laura"])
        }
        for reading in ["lockstep_open('film.title', title, id) FROM film", "title FROM film_open"] {
            let connection = try scratch.open()
            try connection.with(rights: .engine) {
                try connection.execute(
                    "UPDATE lockstep_migration SET down = ? WHERE version = '3'",
                    "CREATE TABLE loot (x);\nINSERT INTO loot SELECT \(reading);")
            }
            Refusal.expect(.migrationFailed) {
                _ = try Migrator(older(), recordedDown: .allowed).run(.back(1), on: connection)
            }
            #expect(try LedgerVictim.strangers(connection) == [])
        }
    }

    @Test("A recorded way down that needs keys is refused, and the error says where to give them")
    func needsKeys() throws {
        let victim = try LedgerVictim()
        let connection = try withoutCodes(victim)
        for directive in [
            "unprotect film.title dataset=catalogue", "protect film.title dataset=catalogue",
            "rotate film.title dataset=catalogue",
        ] {
            try connection.with(rights: .engine) {
                try connection.execute(
                    "UPDATE lockstep_migration SET down = ? WHERE version = '3'",
                    "-- lockstep: \(directive)\n\(LedgerVictim.planted)")
            }
            let error = #expect(throws: LockstepError.self) {
                try Migrator(older(), recordedDown: .allowed).run(.back(1), on: connection)
            }
            #expect(error?.code == .keyUnavailable)
            #expect(error?.hint?.contains("the field keys of catalogue") == true)
            #expect(try LedgerVictim.strangers(connection) == [])
        }
    }

    @Test("A begun version is abandoned by its file, and by its record only on demand") func abandoning() throws {
        let script = """
            ALTER TABLE film ADD COLUMN rank INTEGER;
            -- lockstep: backfill film batch=1
            UPDATE film SET rank = 1 WHERE id BETWEEN :first AND :last;
            """
        let files =
            LedgerVictim.files + [
                (name: "0004_rank.sql", content: Scratch.up(script, down: "ALTER TABLE film DROP COLUMN rank;"))
            ]
        let set = try MigrationSet(name: "films", files: files)
        func begun() throws -> Connection {
            let connection = try LedgerVictim().database()
            try connection.execute("INSERT INTO film (title) VALUES ('Laura'), ('Gilda')")
            let stopping = Migrator(set) { if case .backfilled = $0 { throw Stop() } }
            #expect(throws: Stop.self) { try stopping.run(on: connection) }
            #expect(try MigrationProgress.all(connection).count == 1)
            return connection
        }
        let sound = try begun()
        guard case .abandon(_, .own)? = try Migrator(set).plan(.back(1), on: sound).steps.first else {
            Issue.record("the file's way down was expected")
            return
        }
        #expect(try Migrator(set).run(.back(1), on: sound).steps.count == 1)
        #expect(try MigrationProgress.all(sound).isEmpty)

        let forged = try begun()
        try LedgerVictim.forge("UPDATE lockstep_progress SET down = '\(LedgerVictim.planted)';", forged)
        let victim = try LedgerVictim()
        for target: Plan.Target in [.latest, .back(1), .version(MigrationVersion(3)), .redo(1)] {
            #expect(try victim.refusal(of: target, forged, set) == .migrationChanged)
        }
        Refusal.expect(.migrationMissing) { _ = try Migrator(older(3)).run(.back(1), on: forged) }
        #expect(try LedgerVictim.strangers(forged) == [])
        // The control.
        _ = try Migrator(older(3), recordedDown: .allowed).run(.back(1), on: forged)
        #expect(try LedgerVictim.strangers(forged) == ["loot"])
    }

    @Test("A redo that could not go up again does not go down")
    func redo() throws {
        let connection = try LedgerVictim().database()
        var files = LedgerVictim.files
        files[0].content = Scratch.up("CREATE TABLE film (id INTEGER PRIMARY KEY);")
        let edited = try MigrationSet(name: "films", files: files)
        Refusal.expect(.migrationChanged) { _ = try Migrator(edited).run(.redo(1), on: connection) }
        #expect(try Scratch.int(connection, "SELECT count(*) FROM note") == 0)
        #expect(try Ledger.entries(connection).filter { $0.set == "films" }.count == 3)
        // Another version does not prevent going back alone.
        #expect(try Migrator(edited).run(.back(1), on: connection).steps.count == 1)
    }

    @Test(
        "A script without a transaction resumes at the end of a statement, in the text that was counted"
    )
    func offsets() throws {
        let bare = """
            -- lockstep: no transaction
            -- not run: CREATE TABLE loot (x);
            CREATE TABLE p (x);
            CREATE TABLE q (x);
            """
        func set(_ text: String) throws -> MigrationSet {
            try MigrationSet(name: "bare", files: [(name: "1_x.sql", content: Scratch.up(text))])
        }
        func begun() throws -> Connection {
            let connection = try Connection.inMemory()
            var seen = 0
            let stopping = try Migrator(set(bare)) {
                if case .advanced = $0 { seen += 1 }
                if seen == 1 { throw Stop() }
            }
            #expect(throws: Stop.self) { try stopping.run(on: connection) }
            return connection
        }
        let good = try begun()
        #expect(try Migrator(set(bare)).run(on: good).steps.count == 1)

        let moved = try begun()
        let commented = bare.replacing("-- not run", with: "-- it is not run")
        #expect(try Migrator(set(commented)).run(on: moved).steps.count == 1)
        // Without a digest, the row of an earlier build counts the bytes of one text.
        let old = try begun()
        try LedgerVictim.forge("UPDATE lockstep_progress SET completed = NULL;", old)
        Refusal.expect(.migrationChanged) { _ = try Migrator(set(commented)).run(on: old) }

        for (offset, also) in [1, 40, 45, -7, 1000].flatMap({
            [($0, ""), ($0, ", completed = NULL")]
        }) {
            let forged = try begun()
            try LedgerVictim.forge("UPDATE lockstep_progress SET cursor = \(offset)\(also);", forged)
            Refusal.expect(.tampered) { _ = try Migrator(set(bare)).run(on: forged) }
            #expect(try Scratch.int(forged, "SELECT count(*) FROM sqlite_schema WHERE name = 'loot'") == 0)
        }
    }
}
