extension MigrationSet {
    /// The set with a directive declared for a version from outside its file. Use it for folders whose files must
    /// not change because another tool keeps their checksums.
    ///
    /// Checksums and the ledger do not include declarations, so a declaration causes no drift.
    /// ``MigrationReport/notices`` reports the effects, such as lost rows.
    /// - Parameters:
    ///   - directive: `allow loss of table T`, `allow loss of column T.C`, `allow changed values of column T.C`,
    ///     `allow broken references of table T`, `unchecked table T`, `allow edits of schema` or `foreign keys off`.
    ///   - version: The version.
    ///   - down: Declares it for the version's way down instead.
    /// - Throws: ``LockstepError/Code/migrationMalformed`` for any other directive,
    ///   ``LockstepError/Code/notFound`` if the set has no file of that version.
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
                .notFound, "the set \(name) has no file of version \(version) to declare this for: " + "\(directive)",
                hint: "name the version of a file; a migration in Swift sets its own options",
                context: .init(set: name, version))
        }
        set.files = files.map { $0.declaring(declared, at: version) }
        set.baselines = baselines.map { $0.declaring(declared, at: version) }
        return set
    }

    /// Reads a directive that applies to a whole script; the other directives belong to their line.
    private static func declarable(_ text: String) throws(LockstepError) -> Directive {
        let directive = Directive(text)
        switch directive {
        case .allowLoss, .allowColumnLoss, .allowChangedValues, .allowBrokenReferences,
            .uncheckedTable, .allowSchemaEdits, .foreignKeysOff:
            if let directive { return directive }
        default: break
        }
        throw LockstepError(
            .migrationMalformed, "this directive cannot be declared from outside a file: \(text)",
            hint: "these can be declared: \(Directive.declarable)")
    }
}

extension MigrationFile {
    fileprivate func declaring(_ directive: Directive, at version: MigrationVersion) -> MigrationFile {
        guard self.version == version else { return self }
        return with(up: up.declaring([directive]))
    }
}
