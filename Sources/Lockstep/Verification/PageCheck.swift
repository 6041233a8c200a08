internal import SystemPackage

/// Every page of the file and of its write-ahead log carries a MAC that verifies.
enum PageCheck {
    static func run(
        _ path: FilePath, _ key: borrowing DatabaseKey
    ) throws -> (summary: String, findings: [VerificationReport.Finding]) {
        let audit = try PageAudit.run(path, key: key)
        var findings: [VerificationReport.Finding] = []
        if !audit.damagedPages.isEmpty {
            findings.append(.failure("the MAC fails on \(list(audit.damagedPages))"))
        }
        if !audit.damagedFrames.isEmpty {
            findings.append(
                .failure("the MAC fails in the write-ahead log on \(list(audit.damagedFrames))"))
        }
        if audit.strayBytes > 0 {
            findings.append(.failure("\(audit.strayBytes) bytes follow the last whole page"))
        }
        if audit.lostCommits > 0 {
            findings.append(
                .failure(
                    "\(audit.lostCommits) commits in the write-ahead log are cut off by a damaged page "
                        + "before them: keep a copy of all three files before a program opens them")
            )
        } else if audit.uncommittedFrames > 0 {
            findings.append(
                .notice(
                    "\(audit.uncommittedFrames) pages at the end of the write-ahead log were never "
                        + "committed"))
        }
        return ("\(audit.pages) pages, \(audit.frames) in the log", findings)
    }

    private static func list(_ pages: [UInt32]) -> String {
        let shown = pages.prefix(20).map(String.init).joined(separator: ", ")
        let more = pages.count > 20 ? " and \(pages.count - 20) more" : ""
        return (pages.count == 1 ? "page " : "pages ") + shown + more
    }
}
