import Subprocess
import Lockstep
import TestSupport
import Testing

/// The operator's attack at the command line: the operator replaces the way down in the ledger.
@Suite("The tool beside a forged ledger")
struct ForgedLedgerTests {
    private let project: NotesProject

    init() throws {
        project = try NotesProject()
        try project.write(1, Self.file)
    }

    private static let file = """
        -- lockstep: up
        CREATE TABLE note (x);
        -- lockstep: down
        -- lockstep: allow loss of table note
        DROP TABLE note;
        """

    private func tool(_ arguments: String...) async throws -> (
        code: TerminationStatus, reported: String
    ) {
        try await project.run(arguments)
    }

    private func forge() throws {
        try project.tamper(
            """
            UPDATE lockstep_migration
            SET down = '-- lockstep: allow loss of table note' || char(10) || 'DROP TABLE note; CREATE TABLE loot (a);'
            """)
    }

    private func tables() async throws -> String {
        try await tool("query", "SELECT name FROM sqlite_schema WHERE name IN ('note', 'loot')").reported
    }

    @Test(
        "It is detected and does not run, with the fields keyring and without",
        arguments: [true, false])
    func attack(isSealed: Bool) async throws {
        let rest = ["-m", "notes"] + (isSealed ? ["--fields", "notes"] : [])
        #expect(try await tool("init", "--dataset", "notes").code == .exited(0))
        #expect(try await project.run(["migrate"] + rest).code == .exited(0))
        // No cell is sealed for the dataset, so verify does not get its keyring.
        #expect(try await tool("verify", "-m", "notes").code == .exited(0))
        try forge()
        for words in [
            ["verify"], ["migrate"], ["migrate", "--safe"], ["migrate", "--to", "0"], ["rollback"],
            ["redo"], ["plan"],
            ["plan", "--to", "0"], ["rehearse"], ["status"],
        ] {
            let result = try await project.run(words + rest)
            #expect(result.code == .exited(isSealed ? 65 : 4), "\(words): \(result.reported)")
            #expect(try await tables() == "name\nnote\n")
        }
        guard isSealed else { return }
        // Without the keyring the files reveal it as well.
        #expect(try await tool("verify", "-m", "notes").code == .exited(4))
        #expect(try await tool("rollback", "-m", "notes").code == .exited(4))
        let both = try await tool("rollback", "-m", "notes", "--fields", "notes", "--recorded-down")
        #expect(both.code == .exited(64) && both.reported.contains("omit --fields"))
        #expect(try await tables() == "name\nnote\n")
    }

    @Test("The control: it runs if requested, without field keys")
    func control() async throws {
        #expect(try await tool("init").code == .exited(0))
        #expect(try await tool("migrate", "-m", "notes").code == .exited(0))
        try forge()
        #expect(try await tool("rollback", "-m", "notes", "--recorded-down").code == .exited(0))
        #expect(try await tables() == "name\nloot\n")
    }
}
