internal import SystemPackage

extension VerificationReport.Check {
    /// Every page's MAC, in the file and its write-ahead log.
    public static let pages = Self("pages", isOfFile: true, failure: .damaged) { job in
        .meanwhile { key, progress in try PageCheck.run(job.verification.path, key, progress) }
    }
}

/// Every page of the file and of its write-ahead log has a MAC that verifies.
enum PageCheck {
    static func run(
        _ path: FilePath, _ key: borrowing DatabaseKey,
        _ progress: JobProgress.Handler
    ) throws -> CheckResult {
        let audit = try PageAudit(path).run(key: key, progress: progress)
        var findings: [VerificationReport.Finding] = []
        for (pages, place) in [
            (audit.damagedPages, ""), (audit.damagedFrames, " in the write-ahead log"),
        ] where !pages.isEmpty {
            var finding = VerificationReport.Finding.failure(
                "the MAC fails\(place) on \(list(pages))")
            finding.pages = pages
            findings.append(finding)
        }
        if audit.strayBytes > 0 {
            findings.append(
                .failure("\(counted(audit.strayBytes, "byte")) after the last whole page"))
        }
        if audit.lostCommits > 0 {
            findings.append(
                .failure(
                    "a damaged page in the write-ahead log cuts off the \(counted(audit.lostCommits, "commit")) "
                        + "after it: copy all three files before a program opens them")
            )
        } else if audit.uncommittedFrames > 0 {
            findings.append(
                .notice(
                    "\(counted(audit.uncommittedFrames, "page")) at the end of the write-ahead log "
                        + "\(audit.uncommittedFrames == 1 ? "was" : "were") never committed"))
        }
        return ("\(counted(audit.pages, "page")), \(audit.frames) in the log", findings)
    }

    private static func list(_ pages: [UInt32]) -> String {
        (pages.count == 1 ? "page " : "pages ") + pages.pageList
    }
}
