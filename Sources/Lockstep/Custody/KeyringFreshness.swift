/// Checks on opening that the database is one of its keyring's, and that the keyring is no older than the newest that
/// the database has seen. The check reads one small table.
///
/// The file says which database it is, and anyone who can open it can change that. So the keyring decides: one that
/// records databases opens no other.
///
/// It refuses an older copy of the keyring, whose slots may since have been removed. It does not refuse an
/// older copy of the *file*, since that looks the same as a keyring that was changed without its database:
/// ``Verification`` reports it.
enum KeyringFreshness {
    /// - Throws: The errors of ``IdentityCheck``; ``LockstepError/Code/keyringOutdated``;
    ///   ``LockstepError/Code/tampered`` if the database has lost its record of the keyring.
    static func require(
        _ origin: DatabaseKey.Origin, _ connection: borrowing Connection,
        _ key: borrowing DatabaseKey
    ) throws {
        let content = try KeyringTable.read(connection)
        try IdentityCheck.require(content, origin, at: connection.path, key)
        if let seen = content.epochs[origin.ring] {
            let minimum = origin.isPending ? seen - 1 : seen
            guard origin.epoch >= minimum else { throw outdated(origin.epoch, seen) }
            return
        }
        // A keyring lists a database only after the database has recorded the keyring.
        guard !origin.files.isEmpty else { return }
        guard origin.formerRings.isDisjoint(with: content.epochs.keys) else { return }
        throw forgotten(content.epochs.isEmpty)
    }

    /// The keyring is older than the file.
    static func outdated(_ epoch: UInt64, _ seen: UInt64) -> LockstepError {
        LockstepError(
            .keyringOutdated,
            "the keyring is older than the database: its epoch is \(epoch), and the database has "
                + "seen \(seen)",
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
