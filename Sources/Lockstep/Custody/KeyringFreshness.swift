/// Checks on opening that the database is one of its keyring's, and that the keyring is no older than the newest that
/// the database has seen. The check reads one small table.
///
/// The file says which database it is, and anyone who can open it can change that. So the keyring decides: one that
/// records databases opens no other.
///
/// It refuses an older copy of the keyring, whose slots may since have been removed, and an older copy of the file; see
/// ``Freshness``. The same holds for the keyrings of datasets.
enum KeyringFreshness {
    /// - Parameter isLater: Whether the key has opened the database before, so that a keyring that was changed since is
    ///   no older copy.
    /// - Returns: Whether the file is a copy that lies elsewhere than its database, so that a change would make it
    ///   another one. A copy whose database the keyring has seen nowhere can be all that there is of it.
    /// - Throws: The errors of ``IdentityCheck``; ``LockstepError/Code/keyringOutdated``;
    ///   ``LockstepError/Code/databaseOutdated``;
    ///   ``LockstepError/Code/tampered`` if the database has lost its record of the keyring.
    static func require(
        _ origin: DatabaseKey.Origin, _ connection: borrowing Connection,
        _ key: borrowing DatabaseKey, isLater: Bool = false
    ) throws -> Bool {
        let content = try KeyringTable.read(connection)
        let finding = try IdentityCheck.require(content, origin, at: connection.path, key)
        // A keyring lists a database only after the database has recorded the keyring.
        if !origin.files.isEmpty, origin.formerRings.union([origin.ring]).isDisjoint(with: content.epochs.keys) {
            throw forgotten(content.epochs.isEmpty)
        }
        let file = origin.files.first { $0.identity == content.database }
        let freshness = Freshness(
            ring: origin.ring, formerRings: origin.formerRings, epoch: origin.epoch,
            seen: file?.seen ?? 0, isPending: origin.isPending)
        // A copy that stands for its database must not be older than it.
        let role = finding == .copyInPlace ? .original : content.role
        let order = freshness.order(content.epochs, role)
        if isLater, case .keyringOlder = order {
        } else {
            try require(order, freshness, of: "keyring")
        }
        return finding == .copy && file?.path != nil && !origin.isSigned
    }

    /// Checks the keyring of a dataset. Issued keyrings have rings of their own, which no database need know.
    /// - Parameter title: The dataset's name in messages.
    /// - Throws: ``LockstepError/Code/keyringOutdated``; ``LockstepError/Code/databaseOutdated``.
    static func require(
        _ keys: FieldKeys, _ content: KeyringTable.Content, titled title: String
    ) throws(LockstepError) {
        guard let origin = keys.origin else { return }
        let freshness = Freshness(
            ring: origin.ring, formerRings: origin.formerRings, epoch: origin.epoch,
            seen: keys.memory.record(of: content.database)?.seen ?? 0)
        try require(
            freshness.order(content.fieldsEpochs, content.role), freshness,
            of: "fields keyring of the dataset \(title)")
    }

    private static func require(
        _ order: Freshness.Order, _ freshness: Freshness, of keyring: String
    ) throws(LockstepError) {
        switch order {
        case .inOrder: return
        case .keyringOlder(let seen): throw outdated(freshness.epoch, seen, keyring)
        case .databaseOlder(let recorded): throw older(recorded, freshness.seen, keyring)
        }
    }

    /// The file is older than the keyring remembers.
    static func older(
        _ recorded: UInt64, _ seen: UInt64, _ keyring: String = "keyring"
    ) -> LockstepError {
        LockstepError(
            .databaseOutdated,
            "the database is older than its \(keyring) remembers: it has recorded epoch \(recorded) of it, and had "
                + "recorded \(seen) when last seen",
            advice: """
                somebody put an older copy of the file back: restore the newest one; if you did, by restoring a \
                backup, accept it with \(.rememberKeyringAgain)
                """)
    }

    /// The keyring is older than the file.
    static func outdated(
        _ epoch: UInt64, _ seen: UInt64, _ keyring: String = "keyring"
    ) -> LockstepError {
        LockstepError(
            .keyringOutdated,
            "the \(keyring) is older than the database: its epoch is \(epoch), and the database has " + "seen \(seen)",
            advice: """
                restore the newest copy of the keyring; if this is the newest, \(.rotateRing) gives it a new ring
                """)
    }

    /// The keyring lists databases, but the file has no record of the keyring.
    static func forgotten(_ isEmpty: Bool) -> LockstepError {
        LockstepError(
            .tampered,
            "the database has no record of its keyring: "
                + (isEmpty
                    ? "the table lockstep_keyring is empty or gone"
                    : "the table lockstep_keyring names none of the keyring's rings"),
            advice: """
                someone with write access removed it, or this is a different database: restore it from a \
                backup; if it is the right one, \(.rememberKeyringAgain) binds it again
                """)
    }
}
