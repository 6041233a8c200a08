import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Salvage: the report as text")
struct SalvageReportTests {
    @Test("Each defect of the file has its sentence, and one page is singular")
    func sentences() {
        var report = SalvageReport()
        #expect(report.description == "Recovered everything: 0 rows in 0 tables.")
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
        #expect(lines.first == "Recovered only a part: 0 rows in 0 tables.")
        for line in [
            "3 bytes after the last whole page.", "The file ends 1 page early.",
            "2 unreadable pages in the write-ahead log.", "Nothing in the write-ahead log can be read.",
            "The free pages are unknown: the rows found can include deleted ones.",
            "The schema was read from a page 1 that does not verify: check it.", "Parts of the schema are missing.",
            "Of 30 pages, these do not verify: 4, 7.", "Damaged pages whose table is unknown: 7.",
            "Pages readable only in an older version: 9.",
        ] {
            #expect(lines.contains(line), "\(lines)")
        }
        #expect(lines.contains { $0.hasSuffix("19, 20 and 5 more.") }, "\(lines)")
        #expect(lines.count == 12)
    }

    @Test("A table's sentence states how its rows were lost")
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
                "t: 1 row recovered, 2 of these found by their content, 3 of these from older page versions, "
                    + "4 pages unreadable, 1 row lost because a part was on an unreadable page, 6 rows malformed, "
                    + "7 rows skipped as duplicate, 8 rows refused by the table's constraints."))
    }
}
