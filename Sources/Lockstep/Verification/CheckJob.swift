/// The input of the checks.
struct CheckJob: Sendable {
    let verification: Verification
    /// Nil if the key did not come from a keyring.
    var freshness: FreshnessCheck?
    /// Nil if the key did not come from a keyring.
    var keyring: KeyringSummary?
    /// What the log's index said before the checks' connections rebuilt it.
    var index: WriteAheadLogIndex?
    /// Whether the database also carries other sets, which are not reported.
    var hasOthers = false
    /// Whether the database is in memory, without pages and cipher.
    var isInMemory = false
    let coordinator = CheckCoordinator()

    /// The checks whose inputs are available, in report order.
    var tasks: [CheckTask] {
        VerificationReport.Check.allCases.compactMap { check in
            check.work(self).map { (check, $0) }
        }
    }
}

/// A check, and how it runs on this job.
typealias CheckTask = (check: VerificationReport.Check, work: VerificationReport.Check.Work)
