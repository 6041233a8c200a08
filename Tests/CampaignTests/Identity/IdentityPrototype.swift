import SystemPackage
import TestSupport

@testable import EngineTestSupport
@testable import Lockstep

/// Two databases of one dataset, and a fork of the first, with what an operator can have kept of all.
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

    private let fork: OperatorPrototype.OtherDatabase
    private let forkBefore: RegistryRows

    /// Both databases are in one database keyring.
    static let shared = Result { try IdentityPrototype(isShared: true) }
    /// Each is in a database keyring of its own.
    static let apart = Result { try IdentityPrototype(isShared: false) }

    /// - Parameter isShared: Whether the databases are in one database keyring.
    init(isShared: Bool) throws {
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
            (fork, forkBefore) = try Self.fork(bench, connection, &keyring, &fields)
            // Outside of the migration set, and after the fields keyring was copied.
            try connection.protect("fee", of: "credit", keys: keys)
            try bench.fieldsFile.remember(&fields, sealedIn: connection)
            let other: Connection
            if isShared {
                try bench.keyringFile.update(&keyring) { keyring in try keyring.listNewDatabase() }
                other = try Self.sibling(siblingPath, &keyring, in: bench.keyringFile, &fields, bench.fieldsFile)
            } else {
                let file = KeyringFile(folder.file("sibling.keyring"))
                var ring = try Keyring.create(.database)
                try ring.addSlot("file", Rings.keyFile())
                try ring.listNewDatabase()
                try file.create(ring)
                other = try Self.sibling(siblingPath, &ring, in: file, &fields, bench.fieldsFile)
            }
            sibling = try OperatorPrototype.OtherDatabase(other)
            olderDatabase = try Bytes.read(bench.keyringFile.path)
            try bench.keyringFile.update(&keyring) { keyring in
                try keyring.addSlot("second", Rings.keyFile(0x5A))
            }
            try keyring.remember(in: connection)
            if isShared { try keyring.remember(in: other) }
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

    /// Another database of the dataset, which seals less.
    private static func sibling(
        _ path: FilePath, _ keyring: inout Keyring, in file: KeyringFile, _ fields: inout Keyring,
        _ fieldsFile: KeyringFile
    ) throws -> Connection {
        let connection = try Connection.create(
            path, key: keyring.newDatabaseKey(), options: OperatorPrototype.options(fields.fieldKeys(named: "films")))
        try OperatorPrototype.fill(connection, " elsewhere", upTo: "2") {}
        try keyring.bind(connection, in: file)
        try fieldsFile.remember(&fields, sealedIn: connection)
        return connection
    }

    /// Makes a fork as the holder of all keys does, and unseals columns in it.
    /// - Returns: It, and its registry before that.
    private static func fork(
        _ bench: TamperedDatabase, _ original: borrowing Connection, _ keyring: inout Keyring, _ fields: inout Keyring
    ) throws -> (OperatorPrototype.OtherDatabase, RegistryRows) {
        let path = bench.folder.file("fork.db")
        try original.checkpoint(.truncate)
        let store = try Store.open(bench.path, rawKey: bench.operatorKey())
        try store.blocking.backup(to: path)
        try store.blocking.close()
        try Fork(of: path, keyring: bench.keyringFile).run(&keyring)
        let keys = try fields.fieldKeys(named: "films")
        var options = OperatorPrototype.options(keys)
        options.firstTime = true
        let connection = try Connection.open(path, key: keyring.databaseKey(for: path), options: options)
        let before = try RegistryRows(connection)
        for (column, table) in [("title", "film"), ("role", "credit")] {
            try connection.unprotect(column, of: table, keys: keys)
        }
        try bench.fieldsFile.remember(&fields, sealedIn: connection)
        return (try OperatorPrototype.OtherDatabase(connection), before)
    }

    /// A folder in which the operator has made the state.
    static func database(in state: IdentityState) throws -> TamperedDatabase {
        try (state.isShared ? shared : apart).get().database(in: state)
    }

    private func database(in state: IdentityState) throws -> TamperedDatabase {
        let bench = TamperedDatabase(folder: try TemporaryFolder(), isMigrating: true)
        for (name, bytes) in files { try bench.folder.write(name, bytes) }
        if state.registry == .exchanged { try Bytes.write(siblingFile, to: bench.path) }
        // Under a key of its own, the other file has nothing that who has this one's key could change.
        if state.registry != .exchanged || state.isShared {
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
                case .forkBefore: try forkBefore.write(connection)
                case .fork: try fork.registry.write(connection)
                }
                switch state.identity {
                case .own where state.registry == .exchanged:
                    try connection.execute(
                        "UPDATE main.lockstep_keyring SET database = ? WHERE ring = zeroblob(16)", ownIdentity())
                case .sibling where state.registry != .exchanged:
                    try connection.execute(
                        "UPDATE main.lockstep_keyring SET database = ? WHERE ring = zeroblob(16)", sibling.id)
                case .fork:
                    try connection.execute(
                        "UPDATE main.lockstep_keyring SET database = ? WHERE ring = zeroblob(16)", fork.id)
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
        }
        if state.isListed { try list(bench) }
        switch state.keyrings {
        case .now: break
        case .olderFields: try Bytes.write(olderFields, to: bench.fieldsFile.path)
        case .olderDatabase: try Bytes.write(olderDatabase, to: bench.keyringFile.path)
        }
        return bench
    }

    /// What everyone with a slot of the database keyring can do.
    private func list(_ bench: TamperedDatabase) throws {
        var keyring = try bench.keyring()
        do {
            try keyring.bind(Connection.open(bench.path, key: keyring.keyOfNew(bench.path)), in: bench.keyringFile)
        } catch is LockstepError {
            // The state stands as it is for an operator without a slot.
        }
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
