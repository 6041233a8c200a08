import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage
import LockstepPostgres

/// The database and the credentials that open it.
struct AccessOptions: ParsableArguments {
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var keyrings: KeyringOptions
    @OptionGroup var fields: FieldsOptions
    @OptionGroup var credentials: CredentialOptions
    @OptionGroup var limitOptions: LimitOptions

    /// Opens the keyring. The database is opened when it is needed.
    /// - Parameter readOnly: Whether the command makes no file beside the database, even for an instant.
    func session(readOnly: Bool = false) throws -> Session {
        try limitOptions.start()
        return try Session.open(database.path(), keyrings, fields, credentials, isReadOnly: readOnly)
    }

    /// Opens the keyring, whether or not the database exists.
    func keyring() throws -> Keyring {
        try limitOptions.start()
        return try credentials.open(keyringFile())
    }

    func keyringFile() throws -> KeyringFile { keyrings.file(for: try database.path()) }

    /// The store of a model.
    func model<Model: ModelStore>(
        _ type: Model.Type, readOnly: Bool
    ) throws -> Model { try session(readOnly: readOnly).model(type) }
}

/// An existing database that a command works on: its path, its opened keyring and its key.
struct Session: ~Copyable {
    let path: FilePath
    /// The keyring of the database.
    let opened: OpenedKeyring
    /// The keyrings of the datasets whose sealed columns the command opens.
    private let fieldsKeyrings: [FieldsKeyring]
    /// Whether the command makes no file beside the database, even for an instant.
    let isReadOnly: Bool

    private var keyrings: OpenedKeyrings {
        OpenedKeyrings(path, opened, fieldsKeyrings.map(\.opened))
    }

    /// Opens the keyring of the database at `path` and those of the datasets.
    /// - Parameter database: The database whose keyring it is; nil for the one at `path`.
    static func open(
        _ path: FilePath, _ keyrings: KeyringOptions, _ fields: FieldsOptions, _ credentials: CredentialOptions,
        withKeyringOf database: FilePath? = nil, isReadOnly: Bool = false
    ) throws -> Session {
        // Checked before the passphrase prompt: the file can be missing.
        try Diagnosis.requireDatabase(path)
        if !isReadOnly { PendingCopies.removeAbandoned(of: path) }
        let source = CredentialSource(credentials)
        let file = keyrings.file(for: database ?? path)
        return Session(
            path: path,
            opened: OpenedKeyring(
                file, try source.open(file), reopen: { try source.open(file) }),
            fieldsKeyrings: try fields.open(keyrings, of: database ?? path, source), isReadOnly: isReadOnly)
    }

    /// Runs `body`; if a keyring proves older than the database, reads all of them again and runs it once more.
    func readingAgain<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        try keyrings.readingAgain(body)
    }

    /// Reads each of the keyrings again.
    /// - Returns: Whether any has another version.
    func reread() throws -> Bool { try keyrings.reread() }

    /// The field keys of the datasets whose sealed columns the command opens.
    var fields: [FieldKeys] { keyrings.fieldKeys }

    /// Runs a job that converts cells. Nobody can destroy a key of the datasets meanwhile.
    func whileFieldsUsed(_ body: () throws -> Void) throws { try fieldsKeyrings.whileUsed(body) }

    /// Opens the database.
    /// - Parameters:
    ///   - canBeFirst: Whether the command works on a database that has no sealed columns of the datasets yet.
    ///   - isFirst: Whether the user says that it has none, or that it is a new fork.
    func connect(
        queryOnly: Bool = false, canBeFirst: Bool = false, isFirst: Bool = false,
        _ limits: Limits? = nil
    ) throws -> Connection {
        var options = ConnectionOptions()
        options.isQueryOnly = queryOnly
        if isReadOnly { options.leaveNothing(beside: path) }
        limits?.apply(to: &options)
        options.limits[.valueLength] = limits?.valueLength
        options.progress = Interruption.handler
        let connection = try connect(options, canBeFirst, isFirst)
        guard !queryOnly, connection.isCopy else {
            // The rest of the command finds in the keyring what the user has said.
            if isFirst, !queryOnly { try keyrings.noteUnsealed(connection) }
            return connection
        }
        _ = consume connection
        try fork()
        return try connect(options, canBeFirst, true)
    }

    private func connect(
        _ options: ConnectionOptions, _ canBeFirst: Bool, _ isFirst: Bool
    ) throws -> Connection {
        let connection = try keyrings.connect(options, canBeFirst: canBeFirst, isFirst: isFirst)
        Output.notice(of: connection.setAsideLog, path)
        return connection
    }

    /// Makes the copy a database of its own, which the fields keyrings remember: the copy has proven what it was.
    private func fork() throws {
        try Forking.run(path, &opened.keyring, in: opened.file)
        guard !fieldsKeyrings.isEmpty else { return }
        let connection = try keyrings.connect(ConnectionOptions(), canBeFirst: true, isFirst: true)
        rememberSealed(connection)
        try keyrings.noteUnsealed(connection)
    }

    /// Opens the database as a store.
    /// - Parameter isReading: Whether the command writes nothing: then it does not go on without the commits that a
    ///   damaged log hides.
    func store(_ limits: Limits? = nil, isReading: Bool) throws -> Store {
        var options = StoreOptions()
        if isReading { options.connection.damagedLog = .refuse }
        if isReadOnly { options.connection.leaveNothing(beside: path) }
        limits?.apply(to: &options.connection)
        let store = try store(options)
        guard !isReading, store.isCopy else { return store }
        try store.blocking.close()
        try fork()
        return try self.store(options, isFirst: true)
    }

    private func store(_ options: StoreOptions, isFirst: Bool = false) throws -> Store {
        let store = try keyrings.store(options, isFirst: isFirst)
        Output.notice(of: store.setAsideLog, path)
        return store
    }

    /// The store of a model, in a database whose columns are sealed as its migrations require.
    func model<Model: ModelStore>(
        _: Model.Type, _ limits: Limits? = nil, isReading: Bool = true
    ) throws -> Model {
        let store = try store(limits, isReading: isReading)
        try store.blocking.requireSealed(by: ModelMigrations.set(Model.setName))
        return Model(store)
    }

    /// Makes the database remember its keyring.
    func remember(_ connection: borrowing Connection) {
        Remembering.show(connection, of: &opened.keyring, in: opened.file)
    }

    /// The same for a copy that was just made of this one, whatever it remembers.
    mutating func bind(copy: FilePath) {
        Remembering.bind(new: copy, as: .copy, &opened.keyring, in: opened.file)
    }

    /// Salvages the database under the keyring's active key.
    func salvage(
        _ salvage: Lockstep.Salvage, _ progress: JobProgress.Handler
    ) throws -> SalvageReport {
        try salvage.run(&opened.keyring, in: opened.file, progress: progress)
    }

    /// Makes the registries of a salvaged copy again that were lost. The copy is made, so a failure here is only a
    /// notice.
    /// - Returns: Lines that say what was made.
    func rebuildRegistries(in copy: FilePath) throws -> [String] {
        guard !fieldsKeyrings.isEmpty else { return [] }
        var lines: [String] = []
        let connection = try Connection.open(copy, key: opened.keyring.keyOfNew(copy))
        for keyring in fieldsKeyrings {
            do {
                lines += try keyring.rebuildIfLost(connection)
            } catch let error as LockstepError {
                Output.note("notice: \(error.message)")
                if let advice = error.advice { Output.note("hint: \(advice.typed)") }
            }
        }
        return lines
    }

    /// Makes the fields keyrings remember the state that the database now proves.
    /// - Parameter connection: The connection that changed the database.
    func rememberSealed(_ connection: borrowing Connection) {
        for keyring in fieldsKeyrings { keyring.remember(connection) }
    }

    /// Makes the fields keyrings remember the state of a copy that has just become a database of its own, whatever they
    /// remember of the database that it is a copy of.
    /// - Returns: Lines that say so.
    func acceptSealed() throws -> [String] {
        try fieldsKeyrings.compactMap { keyring in
            try keyring.acceptRestored(path, opened.keyring.keyOfNew(path))
        }
    }

    /// Makes the fields keyrings remember what is sealed on a server.
    /// - Parameters:
    ///   - origin: The identity of the file that it was copied from.
    ///   - connect: Connects with the keys of a dataset.
    func rememberSealed(
        from origin: [UInt8]?, _ connect: (FieldKeys) throws -> ServerConnection
    ) throws {
        for keyring in fieldsKeyrings {
            keyring.remember(try connect(keyring.keys), from: origin)
        }
    }

    /// The same after an operation that used a separate connection.
    /// - Parameter database: The database's id when the command opened it.
    func rememberSealed(in database: [UInt8]?) {
        guard !fieldsKeyrings.isEmpty else { return }
        do {
            var options = ConnectionOptions()
            options.fieldKeys = fields
            options.firstTime = true
            options.mayBeUnknown = true
            let connection = try readingAgain {
                options.fieldKeys = fields
                return try Connection.open(path, key: key(), options: options)
            }
            guard try database == nil || connection.databaseID() == database else {
                throw LockstepError(.tampered, "another database has replaced it meanwhile")
            }
            rememberSealed(connection)
        } catch {
            let reason = (error as? LockstepError)?.message ?? "\(error)"
            Output.note("notice: the fields keyrings do not remember the sealed columns of \(path): \(reason)")
            Output.note("hint: `lockstep verify --fields` shows what is wrong")
        }
    }

    /// The key that encrypts the database, also after an interrupted rotation.
    func key() throws -> DatabaseKey { try keyrings.key() }
}
