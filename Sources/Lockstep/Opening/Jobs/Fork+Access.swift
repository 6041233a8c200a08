public import SystemPackage

extension Fork {
    /// A fork of the file at `copy`. Nothing runs yet.
    public init(of copy: FilePath) { self.init(of: copy, keyring: .database(beside: copy)) }

    /// Runs the fork. No connection to the copy should be open: one with field keys would go on as the old database.
    /// - Parameter access: Opens the database of which it is a copy, by its keyring; afterwards with the keyring's
    ///   newest version.
    /// - Throws: ``LockstepError/Code/misuse`` without a keyring from a file, for the database itself, for a copy in
    ///   its place, and for one with a registry of sealed columns that an earlier build wrote;
    ///   ``LockstepError/Code/unknownDatabase`` for a file whose identity the keyring does not record;
    ///   ``LockstepError/Code/exchanged``; ``LockstepError/Code/keyUnavailable`` for a copy under a key that is no
    ///   longer in use; ``LockstepError/Code/keyringConflict`` for a keyring that is signed or full, and during a
    ///   rotation; ``LockstepError/Code/busy``; ``LockstepError/Code/locked`` if somebody is destroying a key for
    ///   longer than ``FileLockWait`` allows; ``LockstepError/Code/keyringOutdated`` for an old copy of the keyring;
    ///   the errors of opening the copy and of writing both files.
    @discardableResult
    public func run(_ access: inout DatabaseAccess) throws -> Report {
        try access.change(for: "a fork") { keyring, file in
            var fork = self
            fork.keyringFile = file
            return try fork.run(&keyring)
        }
    }
}
