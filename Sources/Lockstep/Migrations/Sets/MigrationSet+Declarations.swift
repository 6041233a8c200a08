extension MigrationSet {
    /// The set with something declared about a version that its file does not say: for folders whose files must
    /// stay as they are, because another tool keeps their checksums.
    ///
    /// Checksums and ledger know nothing of it, and drift is none. What then happens, such as the rows that are lost, is
    /// told by ``MigrationReport/notices``.
    /// - Parameters:
    ///   - directive: `allow loss of table T`, `allow broken references of table T` or `foreign keys off`.
    ///   - down: Of the version's way down instead.
    /// - Throws: ``LockstepError/Code/migrationMalformed`` for another directive,
    ///   ``LockstepError/Code/notFound`` where the set has no file of that version.
    public func declaring(
        _ directive: String, at version: MigrationVersion, down: Bool = false
    ) throws(LockstepError) -> MigrationSet {
        let declared = try Self.declarable(directive)
        var set = self
        guard !down else {
            set.downDeclarations[version, default: []].append(declared)
            return set
        }
        guard (files + baselines).contains(where: { $0.version == version }) else {
            throw LockstepError(
                .notFound,
                "the set \(name) has no file of version \(version) to declare of: \(directive)",
                hint: "name a version of its files; one in Swift declares what it does itself")
        }
        set.files = files.map { $0.declaring(declared, at: version) }
        set.baselines = baselines.map { $0.declaring(declared, at: version) }
        return set
    }

    /// Reads a directive that is about a script as a whole: the others belong to the line they stand in.
    private static func declarable(_ text: String) throws(LockstepError) -> Directive {
        let directive = Directive(text)
        switch directive {
        case .allowLoss, .allowBrokenReferences, .foreignKeysOff:
            if let directive { return directive }
        default: break
        }
        throw LockstepError(
            .migrationMalformed, "this cannot be declared from outside of a file: \(text)",
            hint: "it can be: \(Directive.declarable)")
    }
}

extension MigrationFile {
    fileprivate func declaring(_ directive: Directive, at version: MigrationVersion)
        -> MigrationFile
    {
        guard self.version == version else { return self }
        return with(up: up.declaring([directive]))
    }
}
