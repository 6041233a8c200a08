extension Verification {
    /// Runs every check that the access allows. Blocks.
    ///
    /// With a keyring that is: every check, including whether the file and its keyring are of the same time and the
    /// keys fit for use. A file under a retired key is verified, too, but fails as an older copy.
    ///
    /// A check that cannot run, such as drift in a file whose pages are damaged, is a failure of that check and
    /// not of the run. If checks fail and another program wrote to the database meanwhile, they all run once more, and
    /// the second result counts: a change in between can make sound checks disagree.
    /// - Parameters:
    ///   - access: Opens the database.
    ///   - progress: Called several times per second. The phases are the checks, of which several run at once; each has
    ///     the name of its ``VerificationReport/Check``.
    /// - Throws: ``LockstepError`` if there is no such database, or the key does not fit;
    ///   ``LockstepError/Code/busy`` if checks fail and the file was replaced meanwhile;
    ///   ``LockstepError/Code/limitExceeded`` after the ``deadline``; `CancellationError`; any error from `progress`.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    public func run(
        _ access: borrowing DatabaseAccess, progress: JobProgress.Handler = { _ in }
    ) throws -> VerificationReport {
        var verification = self
        verification.keyringFile = keyringFile ?? access.keyringFile?.path
        let report = try access.withKeyring { keyring in
            try verification.run(keyring: keyring, progress: progress)
        }
        return try report ?? verification.run(key: access.databaseKey(for: path), progress: progress)
    }
}
