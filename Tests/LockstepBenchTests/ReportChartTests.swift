import ArgumentParser
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import BenchKit
@testable import LockstepBench

@Suite("A report as a picture")
struct ReportChartTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func report(_ peer: String = "grdb") -> Report {
        Report(
            [
                Outcomes.round(
                    .insert,
                    [
                        Outcomes.series("lockstep", "typed", .insert, cpu: [2000, 2100, 2400]),
                        Outcomes.series(peer, "record", .insert, cpu: [8400, 8400, 8400]),
                    ])
            ], repetitions: 3, machine: Machine(system: "a system", processor: "a chip", cores: 2))
    }

    @Test("Every variant has a bar, its time, and its ratio to ours")
    func bars() {
        let chart = ReportChart.draw(report())
        for text in [
            ">insert: 1 operations, 1,000 rows, synchronous normal<", ">lockstep typed<",
            ">grdb record<", ">2.10 µs<", ">8.40 µs<", ">1.00 ×<", ">4.00 ×<",
            "a chip, 2 cores, a system; medians of 3 alternating runs", ">grdb: none<",
        ] {
            #expect(chart.contains(text), "\(text)")
        }
        // The longest run fills the width; ours at 2.1 of 8.4 takes a quarter of it.
        #expect(chart.contains(#"width="440" height="12""#))
        #expect(chart.contains(#"width="110" height="12""#))
    }

    @Test("It needs no other files, and is well-formed whatever the names of peers") func selfContained() throws {
        let chart = ReportChart.draw(report())
        for text in ["<script", "href=", "url(", "@import", "<style", "<image", "<a "] {
            #expect(!chart.contains(text), "\(text)")
        }
        #expect(chart.components(separatedBy: "http").count == 2, "the namespace alone")
        let strange = ReportChart.draw(report("<a href='x'>&"))
        #expect(strange.contains("&lt;a href=&#39;x&#39;&gt;&amp; record"))
        #expect(!strange.contains("<a"))
        for line in strange.split(separator: "\n").dropFirst().dropLast() {
            #expect(line.hasPrefix("<") && (line.hasSuffix("/>") || line.contains("</")))
        }
    }

    @Test("The same report makes the same text, from memory and from its JSON")
    func deterministic() throws {
        let file = try folder.write("report.json", try JSON.line(report()))
        let picture = folder.file("report.svg")
        let command = try ChartCommand.parse([file.string, picture.string])
        try command.run()
        let drawn = String(decoding: try Bytes.read(picture), as: UTF8.self)
        #expect(drawn == ReportChart.draw(report()))
        #expect(ReportChart.draw(report()) == ReportChart.draw(report()))
        // Once more, over the existing one.
        try command.run()
        #expect(String(decoding: try Bytes.read(picture), as: UTF8.self) == drawn)
    }

    @Test("A report without rounds, or with a round without runs, can be drawn")
    func empty() {
        let machine = Machine(system: "a system", processor: "a chip", cores: 1)
        #expect(ReportChart.draw(Report([], repetitions: 1, machine: machine)).hasSuffix("</svg>\n"))
        let unused = Report(
            [Outcomes.round(.scan, [Outcomes.series("lockstep", "row", .scan, cpu: [])])],
            repetitions: 1, machine: machine)
        #expect(!ReportChart.draw(unused).contains("nan"))
    }

    @Test("Fields from newer versions are ignored, and older reports are read")
    func otherVersions() throws {
        let line = try JSON.line(report())
        let newer = "{\"colour\":[1,{\"a\":null}]," + line.dropFirst()
        let report = try JSONDecoder().decode(Report.self, from: Data(newer.utf8))
        #expect(report.rounds.count == 1)
        #expect(report.changes == nil)
        #expect(report.machine.memoryBytes == nil)
        #expect(try JSON.line(report) == line)
    }

    @Test("An invalid report, or an invalid place for a picture, is reported with a hint") func errors() throws {
        let svg = folder.file("a.svg").string
        func failure(_ arguments: [String]) throws -> BenchError? {
            let command = try ChartCommand.parse(arguments)
            return #expect(throws: BenchError.self) { try command.run() }
        }
        let none = try failure([folder.file("none.json").string, svg])
        #expect(none?.message.contains("cannot be read") == true)
        let text = try folder.write("text.json", "peer variant")
        #expect(try failure([text.string, svg])?.message.contains("it is not JSON") == true)
        let empty = try folder.write("empty.json", "{}")
        #expect(try failure([empty.string, svg])?.message.contains("is missing") == true)
        let file = try folder.write("report.json", try JSON.line(report()))
        for place in ["nowhere/a.svg", "a.png", ""] {
            let error = try failure([file.string, folder.file(place).string])
            #expect(error?.message.contains("cannot write a chart") == true, "\(place)")
            #expect(error?.hint?.contains(".svg") == true)
        }
    }
}
