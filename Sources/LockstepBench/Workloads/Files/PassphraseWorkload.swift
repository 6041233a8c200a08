import Lockstep
import SystemPackage

/// The cost of a passphrase slot in addition to its scrypt: `slot` opens a keyring, `scrypt` only derives at the same
/// cost. The row that is read afterwards is not included.
enum PassphraseWorkload: KeyedWorkload {
    static let name = "passphrase"
    static let variants = ["slot", "scrypt"]
    static let goals = [
        Goal("slot", .cpu(atMost: 1.05, times: PeerProgram.ownName, ["scrypt"]))
    ]

    /// At most four: each takes about half a second.
    static func operations(_ sizes: Sizes, _ variant: String) -> Int {
        min(sizes.operations(quick: 1, full: 4), 4)
    }

    static func run(_ database: BenchDatabase) throws -> Measurement {
        let store = try database.open(database.key())
        let file = KeyringFile(FilePath("\(database.request.path).passphrase.keyring"))
        if !file.exists {
            var keyring = try Keyring.create(.database)
            try keyring.addSlot("bench", credential(), cost: .standard)
            try file.create(keyring)
        }
        var measurement = Measurement()
        try store.blocking.read { db in try measurement.look(at: db) }
        for id in Rows.keys(database.request.operations, of: database.request.rows) {
            measurement.clock.start()
            if database.request.variant == "scrypt" {
                _ = try Scrypt.Cost.measure(.standard)
            } else {
                _ = try file.open { _ in try credential() }.activeDatabaseKey()
            }
            measurement.clock.stop()
            measurement.hash.add(try store.blocking.read { db in try Record.find(id, in: db) })
            measurement.operations += 1
        }
        return measurement
    }

    private static func credential() throws -> Credential {
        .passphrase(try Passphrase(Array("battery staple window train orbit".utf8).span))
    }
}
