import Lockstep
import TestSupport
import Testing

/// The operator gives a file another identity of which nothing is remembered, and removes its registry.
@Suite("The tool and a file with another identity")
struct OtherIdentityTests {
    private let project: NotesProject

    init() throws {
        project = try NotesProject()
        try project.write(1, "-- lockstep: up\nCREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT);")
    }

    @Test("No command takes it for a first time, with a fields keyring and without") func laundered() async throws {
        let (set, fields) = (["-m", "notes"], ["--fields", "notes"])
        try await project.expect(0, ["init", "--dataset", "notes"])
        try await project.expect(0, ["migrate"] + set + fields)
        try await project.expect(0, ["seal", "note.title"] + fields)
        try await project.expect(0, ["verify"] + set + fields)
        try project.tamper(
            "UPDATE lockstep_keyring SET database = randomblob(16) WHERE database NOT NULL",
            "DELETE FROM lockstep_dataset", "DELETE FROM lockstep_column")
        let keyrings = ["n.db.keys/notes.fields.keyring", "n.db.keys/database.keyring"].map {
            project.folder.file($0)
        }
        let before = try keyrings.map { try Bytes.read($0) }
        for given in [fields, []] {
            for command in [
                ["migrate"] + set, ["migrate", "--first-time"] + set, ["rollback"] + set, ["redo"] + set,
                ["baseline", "--at", "1"] + set, ["status"] + set, ["verify"] + set, ["query", "SELECT 1"],
            ] {
                try await project.expect(65, command + given)
            }
        }
        try await project.expect(65, ["seal", "note.title", "--first-time"] + fields)
        try await project.expect(65, ["keys", "accept-database", "--i-understand"])
        #expect(try keyrings.map { try Bytes.read($0) } == before)
    }

    @Test("An operator who lists it with a slot of the database's keyring does not make it new")
    func listed() async throws {
        let (set, fields) = (["-m", "notes"], ["--fields", "notes"])
        try await project.expect(0, ["init", "--dataset", "notes"])
        try await project.expect(0, ["migrate"] + set + fields)
        try await project.expect(0, ["seal", "note.title"] + fields)
        try project.tamper(
            "UPDATE lockstep_keyring SET database = randomblob(16) WHERE database NOT NULL",
            "DELETE FROM lockstep_dataset", "DELETE FROM lockstep_column")
        try await project.expect(0, ["keys", "accept-database", "--new", "--i-understand"])
        let keyring = project.folder.file("n.db.keys/notes.fields.keyring")
        let before = try Bytes.read(keyring)
        for command in [
            ["migrate"] + set, ["rollback"] + set, ["redo"] + set, ["baseline", "--at", "1"] + set, ["status"] + set,
            ["verify"] + set, ["query", "SELECT 1"], ["seal", "note.title"],
        ] {
            try await project.expect(65, command + fields)
        }
        #expect(try Bytes.read(keyring) == before)
        // What only a person can say.
        try await project.expect(0, ["migrate", "--first-time"] + set + fields)
        try await project.expect(0, ["seal", "note.title"] + fields)
        try await project.expect(0, ["verify"] + set + fields)
    }

    @Test("A database that its keyring does not record opens once a person has recorded it")
    func accepted() async throws {
        try await project.expect(0, ["init"])
        try project.tamper("UPDATE lockstep_keyring SET database = randomblob(16) WHERE database NOT NULL")
        let refusal = try await project.run(["query", "SELECT 1"])
        #expect(refusal.reported.contains("`lockstep keys accept-database --new`"))
        try await project.expect(0, ["keys", "accept-database", "--new", "--i-understand"])
        try await project.expect(0, ["query", "SELECT 1"])
        try await project.expect(0, ["migrate", "-m", "notes"])
        try await project.expect(0, ["verify", "-m", "notes"])
    }
}
