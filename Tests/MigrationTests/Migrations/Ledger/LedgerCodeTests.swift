import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The MACs of ledger rows that were written with field keys.
@Suite("The MACs of the ledger")
struct LedgerCodeTests {
    private static let otherDataset = [UInt8](repeating: 0xF0, count: 16)

    private func rows(_ connection: borrowing Connection) throws -> [LedgerEntry] {
        try LedgerRows.read(connection)
    }

    private func expectTampered(_ victim: LedgerVictim, _ connection: borrowing Connection) throws {
        let verdict = try victim.verdict(connection)
        #expect(verdict.count == 1 && verdict.first?.hasPrefix("error: tampered ") == true, "\(verdict)")
        for target: Plan.Target in [.latest, .back(1), .redo(1), .version(MigrationVersion(1))] {
            #expect(try victim.refusal(of: target, connection) == .tampered)
        }
        Refusal.expect(.tampered) { _ = try Migrator(victim.films).preview(on: connection) }
        #expect(try LedgerVictim.strangers(connection) == [])
    }

    @Test(
        "Each row written with field keys has a MAC, and without keys none has"
    )
    func written() throws {
        let victim = try LedgerVictim(fields: [CellWorkbench.keys()])
        let connection = try victim.database()
        let entries = try rows(connection)
        #expect(entries.count == 4)
        for entry in entries {
            #expect(entry.code?.dataset == CellWorkbench.dataset)
            #expect(entry.code?.keyVersion == 3)
        }
        #expect(Set(entries.compactMap(\.code?.mac)).count == 4)
        #expect(try victim.verdict(connection) == [])
        #expect(try LedgerCheck.run(connection, victim.sets).summary == "4 applied of films, shelves, 4 authenticated")

        let plain = try LedgerVictim().database()
        #expect(try rows(plain).allSatisfy { $0.code == nil })
        #expect(
            try Scratch.int(
                plain, "SELECT count(coalesce(mac, mac_dataset, mac_key_version)) FROM lockstep_migration") == 0)
    }

    @Test(
        "Verification checks it with the given keys, and light verification with the store's"
    )
    func verification() throws {
        let scratch = try DatabaseScratch()
        let victim = try LedgerVictim(fields: [CellWorkbench.keys()])
        var options = ConnectionOptions()
        options.fieldKeys = victim.fields
        // They apply versions with keys, and seal nothing.
        options.mayBeUnsealed = true
        do {
            let connection = try scratch.create(options)
            for set in victim.sets { _ = try Migrator(set).run(on: connection) }
        }
        var verification = Verification(scratch.path, sets: victim.sets)
        verification.fieldKeys = victim.fields
        func outcome() throws -> VerificationReport.Outcome? {
            try verification.run(key: scratch.key()).outcomes.first { $0.check == .ledger }
        }
        #expect(try outcome()?.summary == "4 applied of films, shelves, 4 authenticated")
        #expect(try outcome()?.hasFailed == false)
        do {
            let connection = try scratch.open()
            try LedgerVictim.forge("UPDATE lockstep_migration SET applied_at = 1 WHERE position = 2;", connection)
        }
        #expect(try outcome()?.obstacle?.code == .tampered)
        var storing = StoreOptions()
        storing.connection.fieldKeys = victim.fields
        storing.connection.mayBeUnsealed = true
        let store = try Store.open(scratch.path, rawKey: scratch.key(), options: storing)
        let light = try store.blocking.verifyLightly(victim.sets)
        #expect(light.outcomes.first { $0.check == .ledger }?.obstacle?.code == .tampered)
        // Without keys nothing can be detected.
        verification.fieldKeys = []
        #expect(try outcome()?.hasFailed == false)
    }

    @Test(
        "An older ledger accepts rows of both kinds, and an older Lockstep reads and writes it"
    )
    func bothShapes() throws {
        let scratch = try DatabaseScratch()
        let victim = try LedgerVictim(fields: [CellWorkbench.keys()])
        do {
            let connection = try scratch.create()
            _ = try Migrator(victim.films).run(.version(MigrationVersion(1)), on: connection)
        }
        var options = ConnectionOptions()
        options.fieldKeys = victim.fields
        // They apply versions with keys, and seal nothing.
        options.mayBeUnsealed = true
        do {
            let connection = try scratch.open(options)
            #expect(try rows(connection).map { $0.code == nil } == [true])
            _ = try Migrator(victim.films).run(.version(MigrationVersion(2)), on: connection)
            #expect(try rows(connection).map { $0.code == nil } == [true, false])
        }
        do {
            let connection = try scratch.open()
            // As the previous version of Lockstep records a row, and erases one.
            try LedgerVictim.forge(
                """
                INSERT INTO main.lockstep_migration ("set", version, name, checksum_bytes, checksum_text,
                    checksum_tokens, down, applied_at, duration, tool_version)
                SELECT 'elsewhere', '1', name, checksum_bytes, checksum_text, checksum_tokens, down, applied_at,
                    duration, tool_version FROM main.lockstep_migration WHERE position = 1;
                DELETE FROM main.lockstep_migration WHERE "set" = 'elsewhere';
                """, connection)
            _ = try Migrator(victim.films).run(on: connection)
        }
        let connection = try scratch.open(options)
        #expect(try rows(connection).map { $0.code == nil } == [true, false, true])
        #expect(try Ledger.entries(connection).map(\.version.description) == ["1", "2", "3"])
        #expect(try Migrator(victim.films).run(.back(3), on: connection).steps.count == 3)
    }

    static let changes = [
        "position = 40", "name = 'x'", "version = '7'", "\"set\" = 'other'",
        "checksum_bytes = randomblob(32)",
        "checksum_text = randomblob(32)", "checksum_tokens = randomblob(32)",
        "down = '\(LedgerVictim.planted)'", "down = NULL", "down = ''", "down = down || ' '",
        "applied_at = applied_at + 1", "duration = duration + 1", "tool_version = '9'",
        "mac = randomblob(32)", "mac = zeroblob(32)", "mac_key_version = 1",
        // From another row.
        "mac = (SELECT mac FROM lockstep_migration WHERE position = 1)",
    ]

    @Test("A change of any column of a row is tampering", arguments: changes)
    func changed(_ change: String) throws {
        let victim = try LedgerVictim(fields: [CellWorkbench.keys(retired: [1])])
        let connection = try victim.database()
        try LedgerVictim.forge(
            "UPDATE lockstep_migration SET \(change) WHERE \"set\" = 'films' AND version = '2';", connection)
        try expectTampered(victim, connection)
    }

    @Test("Swapping two rows is tampering, with or without their MACs")
    func swapped() throws {
        let victim = try LedgerVictim(fields: [CellWorkbench.keys()])
        for columns in [
            "position = 7 - position",
            "(mac, name) = (SELECT mac, name FROM lockstep_migration b WHERE b.position = 3)",
        ] {
            let connection = try victim.database()
            let sql =
                columns.hasPrefix("position")
                ? """
                UPDATE lockstep_migration SET position = 90 WHERE position = 2;
                UPDATE lockstep_migration SET position = 2 WHERE position = 3;
                UPDATE lockstep_migration SET position = 3 WHERE position = 90;
                """ : "UPDATE lockstep_migration SET \(columns) WHERE position = 2;"
            try LedgerVictim.forge(sql, connection)
            try expectTampered(victim, connection)
        }
    }

    @Test(
        "An impossible MAC is tampering",
        arguments: [
            "mac = x'00'", "mac = NULL", "mac_dataset = NULL", "mac_dataset = x'01'",
            "mac_key_version = 0",
            "mac_key_version = -1", "mac_key_version = 4294967296", "mac_key_version = NULL",
            "mac = 'text'",
        ])
    func impossible(_ change: String) throws {
        let victim = try LedgerVictim(fields: [CellWorkbench.keys()])
        let connection = try victim.database()
        try LedgerVictim.forge("UPDATE lockstep_migration SET \(change) WHERE position = 2;", connection)
        try expectTampered(victim, connection)
    }

    @Test("A MAC of another database, or under another dataset's key, fits no row")
    func foreign() throws {
        let victim = try LedgerVictim(fields: [CellWorkbench.keys()])
        let other = try LedgerVictim(
            fields: [CellWorkbench.keys(dataset: Self.otherDataset, named: "other")])
        // Applied at another time, so its row differs.
        let elsewhere = try rows(victim.database())
        let stranger = try rows(other.database())
        for (entry, dataset) in [(elsewhere[1], CellWorkbench.dataset), (stranger[1], CellWorkbench.dataset)] {
            let connection = try victim.database()
            let code = try #require(entry.code)
            try connection.with(rights: .engine) {
                try connection.execute(
                    "UPDATE lockstep_migration SET mac = ?, mac_dataset = ? WHERE position = 2", code.mac, dataset)
            }
            try expectTampered(victim, connection)
        }
    }

    @Test(
        "Without its MAC a row is like one written without keys: it must still match the files"
    )
    func removed() throws {
        let victim = try LedgerVictim(fields: [CellWorkbench.keys()])
        let stripped = "UPDATE lockstep_migration SET mac = NULL, mac_dataset = NULL, mac_key_version = NULL;"
        let connection = try victim.database()
        try LedgerVictim.forge(stripped, connection)
        #expect(try victim.verdict(connection) == [])
        try LedgerVictim.forge(
            "UPDATE lockstep_migration SET down = '\(LedgerVictim.planted)' WHERE position = 3;", connection)
        let verdict = try victim.verdict(connection)
        #expect(verdict.first?.hasPrefix("failure: 0003_note.sql has a different way down") == true, "\(verdict)")
        for target: Plan.Target in [.latest, .back(1), .redo(1)] {
            #expect(try victim.refusal(of: target, connection) == .migrationChanged)
        }
        let dropped = try victim.database()
        try LedgerVictim.forge("ALTER TABLE lockstep_migration DROP COLUMN mac;", dropped)
        try expectTampered(victim, dropped)
        try LedgerVictim.forge(
            """
            ALTER TABLE lockstep_migration DROP COLUMN mac_dataset;
            ALTER TABLE lockstep_migration DROP COLUMN mac_key_version;
            """, dropped)
        #expect(try rows(dropped).allSatisfy { $0.code == nil })
        // The next row has one again.
        _ = try Migrator(victim.films).run(.redo(1), on: dropped)
        #expect(try rows(dropped).map { $0.code != nil } == [false, false, false, true])
    }

    @Test("Where no place is left for another row, nothing is recorded, and nothing traps") func noPlace() throws {
        let victim = try LedgerVictim()
        let connection = try Connection.inMemory()
        _ = try Migrator(victim.films).run(.version(MigrationVersion(2)), on: connection)
        try LedgerVictim.forge(
            "UPDATE lockstep_migration SET position = 9223372036854775807 WHERE position = 2;", connection)
        #expect(try victim.refusal(of: .latest, connection) == .tampered)
        #expect(try rows(connection).count == 2)
    }

    @Test("Keys of another dataset prove nothing; a missing key is reported")
    func otherKeys() throws {
        let victim = try LedgerVictim(fields: [CellWorkbench.keys()])
        let connection = try victim.database()
        let entries = try rows(connection)
        #expect(try LedgerCodes([CellWorkbench.keys(dataset: Self.otherDataset)]).check(entries) == 0)
        #expect(try LedgerCodes([]).check(entries) == 0)
        for keys in [try CellWorkbench.keys(active: 9, destroyed: [3]), try CellWorkbench.keys(active: 9)] {
            let codes = LedgerCodes([keys])
            #expect(try codes.check(entries) == 0)
            #expect(codes.uncheckable(entries) == 4)
        }
        // A retired key checks the MACs that it made.
        #expect(try LedgerCodes([CellWorkbench.keys(active: 9, retired: [3])]).check(entries) == 4)
    }

    @Test(
        "Of several datasets, the one whose identifier sorts first makes it, in any order given"
    )
    func firstDataset() throws {
        let low = try CellWorkbench.keys(named: "low")
        let high = try CellWorkbench.keys(dataset: Self.otherDataset, named: "high")
        for fields in [[low, high], [high, low]] {
            let connection = try LedgerVictim(fields: fields).database()
            #expect(try rows(connection).allSatisfy { $0.code?.dataset == CellWorkbench.dataset })
            #expect(try Ledger.entries(connection).count == 4)
        }
    }

    // MARK: The article's example

    private static func example(down: String?) -> LedgerEntry {
        func checksum(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }
        return LedgerEntry(
            set: "movies", version: MigrationVersion(2), name: "add_ratings",
            checksums: MigrationChecksums(
                bytes: checksum(1), text: checksum(2), tokens: checksum(3)),
            down: down, appliedAt: 1_780_000_000_000_000, duration: 1500, toolVersion: "1.0.0",
            position: 5)
    }

    @Test("The article's example")
    func example() throws {
        let keys = try CellWorkbench.keys()
        let key = try keys.ledgerKey(3)
        #expect(
            Hex.encode(Secrets.bytes(of: key)) == "f46eae6ec5cf04fc75e4c5947744d3d8a48a4082749795c2c2b7b893ae73a395")
        for (down, mac) in [
            (
                "DROP TABLE movie;\n",
                "4d1120e9d11855d682b819e12888e78d01851d487983c7398970a15627e240bd"
            ),
            (nil, "58d51eed38525badfd66fdbfb291651110c784cdab37c5f56291bea9a4c98c9c"),
        ] {
            let code = try LedgerCodes([keys]).code(for: Self.example(down: down))
            #expect(code.map { Hex.encode($0.mac) } == mac)
        }
    }

    private struct Request: Encodable {
        let ledger: [Part]
        let field_keys = ["3": Hex.encode(CellWorkbench.fieldKey)]

        enum Part: Encodable {
            case text(String?)
            case number(Int64)

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                switch self {
                case .text(let text): try container.encode(text)
                case .number(let number): try container.encode(number)
                }
            }
        }

        init(_ entry: LedgerEntry, _ code: LedgerCode) {
            ledger = [
                .number(entry.position), .text(entry.set), .text(entry.version.description),
                .text(entry.name),
                .text(Hex.encode(entry.checksums.bytes)), .text(Hex.encode(entry.checksums.text)),
                .text(Hex.encode(entry.checksums.tokens)), .text(entry.down),
                .number(entry.appliedAt),
                .number(entry.duration), .text(entry.toolVersion), .text(Hex.encode(code.dataset)),
                .number(Int64(code.keyVersion)), .text(Hex.encode(code.mac)),
            ]
        }
    }

    @Test(
        "An independent reader accepts our MACs on rows, and rejects forged ones",
        .enabled(if: PythonReader.isPresent, PythonReader.missing))
    func independent() throws {
        let entries = try rows(LedgerVictim(fields: [CellWorkbench.keys()]).database())
        var requests: [Request] = []
        for (entry, next) in zip(entries, entries.dropFirst()) {
            let code = try #require(entry.code)
            requests.append(Request(entry, code))
            requests.append(Request(next, code))
        }
        #expect(try CellReader.answers(requests) == ["holds", "forged", "holds", "forged", "holds", "forged"])
    }
}
