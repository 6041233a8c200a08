import SystemPackage
import TestSupport

@testable import EngineTestSupport
@testable import Lockstep

/// Two databases of one dataset in the same keyrings, with what an operator can have kept of both.
struct IdentityPrototype: Sendable {
    /// The files of the folder, by name: the database that is attacked, and both keyrings.
    private let files: [String: [UInt8]]
    private let siblingFile: [UInt8]
    /// The keyrings before their last change.
    private let olderFields: [UInt8]
    private let olderDatabase: [UInt8]
    private let olderRegistry: RegistryRows
    private let sibling: OperatorPrototype.OtherDatabase
    private let otherDataset: OperatorPrototype.OtherDatabase

    static let one = Result { try IdentityPrototype() }

    init() throws {
        let folder = try TemporaryFolder()
        let bench = TamperedDatabase(folder: folder, isMigrating: true)
        var keyring = try Keyring.create(.database)
        try keyring.addSlot("file", Rings.keyFile())
        try keyring.listNewDatabase()
        try bench.keyringFile.create(keyring)
        var fields = try Keyring.create(.fields)
        try fields.addSlot("file", Rings.keyFile())
        try bench.fieldsFile.create(fields)
        let keys = try fields.fieldKeys(named: "films")
        var states: [RegistryRows] = []
        var olderFields: [UInt8] = []
        let siblingPath = folder.file("sibling.db")
        do {
            let connection = try Connection.create(
                bench.path, key: keyring.newDatabaseKey(), options: OperatorPrototype.options(keys))
            try OperatorPrototype.fill(connection) { states.append(try RegistryRows(connection)) }
            try keyring.bind(connection, in: bench.keyringFile)
            try bench.fieldsFile.remember(&fields, sealedIn: connection)
            olderFields = try Bytes.read(bench.fieldsFile.path)
            // Outside of the migration set, and after the fields keyring was copied.
            try connection.protect("fee", of: "credit", keys: keys)
            try bench.fieldsFile.remember(&fields, sealedIn: connection)
            let other = try Connection.create(
                siblingPath, key: keyring.activeDatabaseKey(),
                options: OperatorPrototype.options(fields.fieldKeys(named: "films")))
            try OperatorPrototype.fill(other, " elsewhere", upTo: "2") {}
            try keyring.bind(other, in: bench.keyringFile)
            try bench.fieldsFile.remember(&fields, sealedIn: other)
            sibling = try OperatorPrototype.OtherDatabase(other)
            olderDatabase = try Bytes.read(bench.keyringFile.path)
            try bench.keyringFile.update(&keyring) { keyring in
                try keyring.addSlot("second", Rings.keyFile(0x5A))
            }
            try keyring.remember(in: connection)
            try keyring.remember(in: other)
        }
        self.olderFields = olderFields
        olderRegistry = states[0]
        otherDataset = try OperatorPrototype.other(Keyring.create(.fields).fieldKeys(named: "films"))
        siblingFile = try Bytes.read(siblingPath)
        var files: [String: [UInt8]] = [:]
        for name in [
            OperatorPrototype.database, OperatorPrototype.databaseKeyring,
            OperatorPrototype.fieldsKeyring,
        ] { files[name] = try Bytes.read(folder.file(name)) }
        self.files = files
    }

    /// A folder in which the operator has made the state.
    func database(in state: IdentityState) throws -> TamperedDatabase {
        let bench = TamperedDatabase(folder: try TemporaryFolder(), isMigrating: true)
        for (name, bytes) in files { try bench.folder.write(name, bytes) }
        if state.registry == .exchanged { try Bytes.write(siblingFile, to: bench.path) }
        try bench.tamper { connection in
            switch state.registry {
            case .intact, .exchanged: break
            case .stripped:
                for table in RegistryRows.names {
                    try connection.execute("DELETE FROM main.\(name: table)")
                }
            case .older: try olderRegistry.write(connection)
            case .sibling: try sibling.registry.write(connection)
            case .otherDataset: try otherDataset.registry.write(connection)
            }
            switch state.identity {
            case .own where state.registry == .exchanged:
                try connection.execute(
                    "UPDATE main.lockstep_keyring SET database = ? WHERE ring = zeroblob(16)", ownIdentity())
            case .sibling where state.registry != .exchanged:
                try connection.execute(
                    "UPDATE main.lockstep_keyring SET database = ? WHERE ring = zeroblob(16)", sibling.id)
            case .own, .sibling: break
            case .new:
                try connection.execute(
                    "UPDATE main.lockstep_keyring SET database = randomblob(16) WHERE ring = zeroblob(16)")
            case .none:
                try connection.execute(
                    "DELETE FROM main.lockstep_keyring WHERE ring = zeroblob(16)")
            }
            if !state.hasGuards { try connection.dropGuards() }
            if !state.hasLedger {
                try connection.execute("DELETE FROM main.lockstep_migration")
                try connection.setHeaderField("user_version", 0)
            }
        }
        switch state.keyrings {
        case .now: break
        case .olderFields: try Bytes.write(olderFields, to: bench.fieldsFile.path)
        case .olderDatabase: try Bytes.write(olderDatabase, to: bench.keyringFile.path)
        }
        return bench
    }

    private func ownIdentity() throws -> [UInt8] {
        let bench = TamperedDatabase(folder: try TemporaryFolder(), isMigrating: true)
        for (name, bytes) in files { try bench.folder.write(name, bytes) }
        var id: [UInt8] = []
        try bench.tamper { connection in
            id = try connection.databaseID() ?? []
        }
        return id
    }
}
