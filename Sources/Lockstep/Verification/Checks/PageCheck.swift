internal import SystemPackage

extension VerificationReport.Check {
    /// Every page's MAC, in the file and its write-ahead log.
    public static let pages = Self("pages", isOfFile: true, failure: .damaged) { job in
        .meanwhile { key, progress in
            try PageCheck.run(
                job.verification.path, key, job.index,
                isDurable: job.verification.schema.synchronous == .full, progress)
        }
    }
}

/// Every page of the file and of its write-ahead log has a MAC that verifies, and SQLite reaches every commit of the
/// log.
enum PageCheck {
    /// - Parameter isDurable: Whether every commit was on disk when it was acknowledged, as with
    ///   ``ConnectionOptions/Synchronous/full``. If not, a power cut can take the last ones, which is no damage.
    static func run(
        _ path: FilePath, _ key: borrowing DatabaseKey, _ index: WriteAheadLogIndex? = nil,
        isDurable: Bool = true, _ progress: JobProgress.Handler
    ) throws -> CheckResult {
        let audit = try PageAudit(path).run(
            key: key, threads: Processors.count, index: index
        ) { try $0.report(to: progress) }
        var findings: [VerificationReport.Finding] = []
        for (pages, place) in [(audit.damagedPages, ""), (audit.damagedFrames, " in the write-ahead log")]
        where !pages.isEmpty {
            var finding = VerificationReport.Finding.failure("the MAC fails\(place) on \(list(pages))")
            finding.pages = pages
            findings.append(finding)
        }
        if audit.strayBytes > 0 {
            findings.append(.failure("\(counted(audit.strayBytes, "byte")) after the last whole page"))
        }
        findings += log(audit, isDurable: isDurable)
        return ("\(counted(audit.pages, "page")), \(audit.frames) in the log", findings)
    }

    private static func log(
        _ audit: PageAuditReport, isDurable: Bool
    ) -> [VerificationReport.Finding] {
        var findings: [VerificationReport.Finding] = []
        if audit.hasLostCommits, isDurable {
            findings.append(
                .failure(
                    advice: """
                        \(losses(audit)): copy the database and the files beside it before a program opens them; \
                        \(.salvage) recovers what is there
                        """))
        } else if audit.hasLostCommits {
            findings.append(.notice("\(losses(audit)): after a power cut that is normal with synchronous NORMAL"))
        } else if audit.isLogHeaderDamaged, audit.incompleteCommits == 0 {
            findings.append(
                .notice(
                    "the write-ahead log's header is damaged: nothing is lost, since all its pages are in the database"
                ))
        } else if audit.uncommittedFrames > 0, audit.incompleteCommits == 0 {
            findings.append(
                .notice(
                    "\(counted(audit.uncommittedFrames, "page")) at the end of the write-ahead log "
                        + "\(audit.uncommittedFrames == 1 ? "was" : "were") never committed"))
        }
        if audit.incompleteCommits > 0 {
            findings.append(
                .notice(
                    "\(counted(audit.incompleteCommits, "commit")) at the end of the write-ahead log "
                        + "\(audit.incompleteCommits == 1 ? "is" : "are") not whole: a power cut during a commit "
                        + "leaves this, and so does later damage"))
        }
        return findings
    }

    private static func losses(_ audit: PageAuditReport) -> String {
        if audit.isLogUnreadable { return "nothing in the write-ahead log can be recognised" }
        let missing = "\(counted(audit.missingFrames, "page")) of commits that it had"
        guard audit.lostCommits > 0 else { return "the write-ahead log lacks \(missing)" }
        let what =
            audit.isLogHeaderDamaged
            ? "the damaged header of the write-ahead log cuts off the" : "damage in the write-ahead log cuts off the"
        return "\(what) \(counted(audit.lostCommits, "commit")) after it"
            + (audit.missingFrames > 0 ? ", and it lacks \(missing)" : "")
    }

    private static func list(_ pages: [UInt32]) -> String {
        (pages.count == 1 ? "page " : "pages ") + pages.pageList
    }
}
