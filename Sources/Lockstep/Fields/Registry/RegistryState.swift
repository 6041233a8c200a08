/// A state of a dataset's registry that somebody remembers, and what another state is to it.
struct RegistryState: Sendable, Equatable {
    /// The registry's identity; nil if nothing was sealed yet.
    let registry: [UInt8]?
    /// 0 if nothing was sealed yet.
    let changes: UInt64
    /// The MAC of the set.
    let code: [UInt8]

    init(_ record: SealedRecord) { (registry, changes, code) = (record.registry, record.changes, record.code) }

    init(_ registry: ColumnRegistry) {
        (self.registry, changes, code) = (registry.identity, registry.changes, registry.code)
    }

    /// What the state of a file's registry is to this one.
    enum Succession {
        case same
        case later
        case older
        /// It was changed in another database.
        case ofOther
        /// It comes from the same database, and not from this state.
        case diverged
        /// The registry no longer says.
        case forgotten
    }

    /// - Parameter isOwn: Whether the registry's last change was made in the database for which this is remembered. The
    ///   registry of a fork stays that of its original until the fork changes it, so that only the very state is right
    ///   then: a later one is the original's, or another fork's.
    func succession(of present: ColumnRegistry, isOwn: Bool) -> Succession {
        guard present.identity == registry ?? present.identity else { return .ofOther }
        if changes == present.changes { return code == present.code ? .same : .diverged }
        guard changes < present.changes else { return .older }
        guard isOwn else { return .ofOther }
        guard changes > 0 else { return .later }
        return switch present.line.place(of: code, changes, before: present.changes) {
        case .before: .later
        case .folded: .forgotten
        case .elsewhere: .diverged
        }
    }
}
