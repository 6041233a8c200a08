/// Whether the keyring that a key came out of is as new as the database has seen it: what opening looks at, at the
/// price of one small table that is read.
///
/// It refuses an older copy of the keyring, whose slots may have been taken away since. An older copy of the *file* is
/// not refused here, since every keyring that was changed without its database looks the same: ``Verification``
/// reports that.
enum KeyringFreshness {
    /// - Throws: ``LockstepError/Code/keyringOutdated``; ``LockstepError/Code/tampered`` where the database has lost what
    ///   it remembered.
    static func require(
        _ origin: DatabaseKey.Origin, _ connection: borrowing Connection
    ) throws {
        let content = try KeyringTable.read(connection)
        if let seen = content.epochs[origin.ring] {
            let minimum = origin.isPending ? seen - 1 : seen
            guard origin.epoch >= minimum else { throw outdated(origin.epoch, seen) }
            return
        }
        // A keyring that lists databases was remembered by each of them before it did.
        guard origin.isBound else { return }
        guard origin.formerRings.isDisjoint(with: content.epochs.keys) else { return }
        throw forgotten(content.epochs.isEmpty)
    }

    /// The keyring is older than the file.
    static func outdated(_ epoch: UInt64, _ seen: UInt64) -> LockstepError {
        LockstepError(
            .keyringOutdated,
            "the keyring is older than the database: its epoch is \(epoch), and the database has seen "
                + "\(seen)",
            hint: "put the newest copy of the keyring back; if this is the newest, "
                + "`lockstep keys rotate-ring` makes a new ring of it")
    }

    /// The file knows nothing of the keyring, which lists databases.
    static func forgotten(_ isEmpty: Bool) -> LockstepError {
        LockstepError(
            .tampered,
            "the database does not remember its keyring: "
                + (isEmpty
                    ? "the table lockstep_keyring is empty or gone"
                    : "the table lockstep_keyring names rings that are none of the keyring's"),
            hint:
                "somebody who can write to it removed that, or this is another database: restore it "
                + "from a backup; if you know that it is right, `lockstep keys accept-database` binds it again"
        )
    }
}
