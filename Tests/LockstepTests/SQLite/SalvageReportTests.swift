import Testing

@testable import Lockstep

@Suite("Salvage: the report in words")
struct SalvageReportTests {
    @Test("Each thing that is wrong with the file has its sentence, and one page is one page")
    func sentences() {
        var report = SalvageReport()
        #expect(report.description == "Everything came back: 0 rows in 0 tables.")
        report.strayBytes = 3
        report.missingPages = 1
        report.unreadableFrames = 2
        report.isLogUnreadable = true
        report.isFreeListUnreadable = true
        report.isSchemaUnverified = true
        report.isSchemaIncomplete = true
        report.pages = 30
        report.damagedPages = [4, 7]
        report.unplacedDamagedPages = [7]
        report.outdatedPages = [9]
        report.unattributedPages = Array(1...25)
        let lines = report.description.split(separator: "\n").map(String.init)
        #expect(lines.first == "Not everything came back: 0 rows in 0 tables.")
        for line in [
            "3 bytes behind the last whole page.", "The file ends 1 page early.",
            "2 unreadable pages in the write-ahead log.",
            "Nothing in the write-ahead log can be read.",
            "Which pages were free is unknown: deleted rows may be among those found.",
            "The schema was read from a page 1 that does not verify: check it.",
            "Parts of the schema are missing.", "Of 30 pages these do not verify: 4, 7.",
            "Of these it is not known whose they were: 7.",
            "Pages that could be read only in an older version: 9.",
        ] {
            #expect(lines.contains(line), "\(lines)")
        }
        #expect(lines.contains { $0.hasSuffix("19, 20 and 5 more.") }, "\(lines)")
        #expect(lines.count == 12)
    }

    @Test("A table's sentence says how its rows were lost")
    func tables() {
        var report = SalvageReport()
        var table = SalvageReport.Table(name: "t")
        table.rows = 1
        table.rowsFoundByContent = 2
        table.rowsOfOlderVersions = 3
        table.unreadablePages = 4
        table.rowsWithBrokenOverflow = 1
        table.malformedRows = 6
        table.duplicateRows = 7
        table.refusedRows = 8
        report.tables = [table]
        #expect(
            report.description.hasSuffix(
                "t: 1 row came back, 2 of these found by their content, 3 of these of an older version, "
                    + "4 pages unreadable, 1 row lost with a part on an unreadable page, 6 rows malformed, "
                    + "7 rows left out as duplicates, 8 rows refused by the table's constraints."))
    }
}
