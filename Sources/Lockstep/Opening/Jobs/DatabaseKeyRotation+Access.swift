public import SystemPackage

extension DatabaseKeyRotation {
    /// Prepares a rotation of the key of `database` without running it.
    public init(of database: FilePath, reason: Reason = .routine) {
        self.init(of: database, keyring: .database(beside: database), reason: reason)
    }

    /// Runs the rotation. Blocks.
    ///
    /// If an earlier rotation was interrupted after the new file took its place, this finishes it without copying. If
    /// the content of the keyring itself was exposed, run the rotation again then: the pending key was in the keyring
    /// too.
    /// - Parameters:
    ///   - access: Opens the database by its keyring; afterwards with the keyring's newest version. After an error,
    ///     make the access again.
    ///   - progress: Called with the number of copied pages. If it throws, or if the task is cancelled, the database is
    ///     unchanged.
    /// - Throws: ``LockstepError/Code/misuse`` without a keyring from a file, and for a copy of the database, such as a
    ///   backup;
    ///   ``LockstepError/Code/busy`` if any connection has the database open, including in this process;
    ///   ``LockstepError/Code/locked`` if another rotation runs; ``LockstepError/Code/full``;
    ///   ``LockstepError/Code/keyringConflict`` for a keyring that is signed;
    ///   ``LockstepError/Code/keyringChanged`` for one whose ring was changed in the meantime;
    ///   ``LockstepError/Code/keyringOutdated`` for an old copy of the keyring;
    ///   ``LockstepError/Code/keyUnavailable`` for a file with a key that is no longer in use;
    ///   ``LockstepError/Code/wrongKey``, ``LockstepError/Code/damaged``: a damaged database is not copied;
    ///   ``LockstepError/Code/alreadyExists`` if a file named `<name>.rotating` is not from a rotation;
    ///   `CancellationError`; any error from `progress`.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    public func run(
        _ access: inout DatabaseAccess, progress: JobProgress.Handler = { _ in }
    ) throws -> KeyRotationReport {
        try access.change(for: "a rotation") { keyring, file in
            var rotation = self
            rotation.keyringFile = file
            return try rotation.run(&keyring, progress: progress)
        }
    }
}
