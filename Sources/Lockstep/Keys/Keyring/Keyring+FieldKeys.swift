extension Keyring {
    /// The unwrapped keys of the dataset's cells and blind indexes, for any number of connections.
    /// - Parameter name: The dataset's name in migrations, as in `protect … dataset=NAME`.
    /// - Throws: ``LockstepError/Code/keyringMismatch`` for a keyring of another purpose,
    ///   ``LockstepError/Code/keyringTampered``.
    public borrowing func fieldKeys(
        named name: String? = nil
    ) throws(LockstepError) -> FieldKeys {
        guard purpose == .fields else {
            throw LockstepError(
                .keyringMismatch, "a \(purpose.rawValue) keyring does not open sealed cells",
                hint: "give the dataset's keyring, <dataset>.fields.keyring")
        }
        let field = try fieldKeyVersions(.field)
        let index = try fieldKeyVersions(.index)
        return FieldKeys(
            dataset: subjectID, name: name, active: field.active, keys: field.keys, index: index, memory: sealedMemory,
            origin: FieldKeys.Origin(ring: document.ringID, formerRings: Set(document.formerRings), epoch: epoch),
            file: file)
    }

    private borrowing func fieldKeyVersions(
        _ kind: KeyKind
    ) throws(LockstepError) -> FieldKeys.Versions {
        var keys: [UInt32: FieldKeys.Key] = [:]
        for entry in document.keys where entry.kind == kind {
            let secret = entry.state == .destroyed ? nil : SharedSecret(try unwrap(entry))
            keys[entry.version] = FieldKeys.Key(state: entry.state, commitment: entry.commitment, secret: secret)
        }
        guard let active = keys.first(where: { $0.value.state == .active })?.key else {
            throw KeyringDocument.malformed("it has no active \(kind.rawValue) key")
        }
        return FieldKeys.Versions(active: active, keys: keys)
    }
}
