public import SystemPackage

extension KeyDestruction {
    /// Prepares the destruction of a key without carrying it out.
    public init(of kind: KeyKind, version: UInt32) {
        // A run has the file from its keyring.
        self.init(of: kind, version: version, keyring: KeyringFile(""))
    }

    /// Looks into the databases, destroys a database key and writes the keyring. Blocks; reads one page of each
    /// database.
    /// - Parameter access: Has the keyring that has the key; afterwards its newest version. After an error, make the
    ///   access again.
    /// - Throws: ``LockstepError/Code/misuse`` without a keyring from a file, and for another kind of key;
    ///   ``LockstepError/Code/keyInUse`` with the list of what stands in the way; ``LockstepError/Code/keyUnavailable``
    ///   if the key does not exist; ``LockstepError/Code/keyringConflict`` if it is active, already destroyed or part
    ///   of an unfinished rotation, and for a keyring that is signed; ``LockstepError/Code/keyringChanged`` for one
    ///   that is changed again and again meanwhile, or whose ring was; ``LockstepError/Code/locked`` if a job uses the
    ///   keyring for longer than ``FileLockWait`` allows; ``LockstepError/Code/notFound`` if the keyring does not
    ///   record a lost database; any error of opening a database.
    @discardableResult
    public func run(_ access: inout DatabaseAccess) throws -> Report {
        guard kind == .database else {
            throw LockstepError(
                .misuse, "a \(kind.rawValue) key is in the fields keyring of its dataset",
                hint: "run it with that keyring: `run(_:access:)`")
        }
        return try access.change(for: "a key's destruction") { keyring, file in
            try located(in: file).run(
                &keyring,
                databaseKey: { path in
                    throw LockstepError(.misuse, "the keyring itself opens \(path)")
                })
        }
    }

    /// Looks into the databases, destroys a key of a dataset and writes its fields keyring. Blocks; reads each sealed
    /// column once for a field key, and one page of each database for any other.
    /// - Parameters:
    ///   - fields: The fields keyring, as opened from its file; afterwards its newest version. After an error, open it
    ///     again.
    ///   - access: Returns what opens a database.
    /// - Throws: ``LockstepError/Code/misuse`` for a keyring that is not from a file; otherwise as with a database key.
    @discardableResult
    public func run(
        _ fields: inout Keyring, access: (FilePath) throws -> DatabaseAccess
    ) throws -> Report {
        guard let file = fields.file else {
            throw LockstepError(
                .misuse, "the keyring that has the key is not from a file",
                hint: "open it with `KeyringFile.open(credential:)`")
        }
        return try located(in: file).run(&fields, databaseKey: { path in try access(path).databaseKey(for: path) })
    }

    private func located(in file: KeyringFile) -> KeyDestruction {
        var destruction = self
        destruction.keyringFile = file
        return destruction
    }
}
