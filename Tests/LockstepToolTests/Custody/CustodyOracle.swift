import ArgumentParser
import SystemPackage
import TestSupport

@testable import Lockstep
@testable import LockstepTool

/// What must hold in every state: each database file, and each copy that the user has not given up, is read by a
/// command with the keyrings that lie there, or a way leads there that the tool offers.
struct CustodyOracle {
    let bench: CustodyBench

    /// What a file is that nothing reads.
    enum Finding: String {
        /// No key that the user holds reads its rows and cells.
        case lost
        /// Keys are there, but no command that the model knows leads to them.
        case deadEnd = "dead end"
    }

    /// How many ways were needed, by their names.
    struct Ways {
        var counts: [String: Int] = [:]
    }

    /// - Returns: What is wrong, with the error of the command that reads.
    func check(_ truth: CustodyVerb.Truth, _ ways: inout Ways) throws -> [String] {
        var wrong: [String] = []
        for (name, rows) in truth.sorted(by: { $0.key < $1.key }) {
            guard !name.contains(".damaged-") else {
                if let error = try lostLog(name, rows) { wrong.append("\(name), \(Finding.lost.rawValue): \(error)") }
                continue
            }
            guard let error = try failure(of: name, rows) else { continue }
            if let way = try way(to: rows, from: name) {
                ways.counts[way, default: 0] += 1
                continue
            }
            let finding: Finding =
                try FileSummary.holds(rows, name, bench) ? .deadEnd : .lost
            wrong.append("\(name), \(finding.rawValue): \(error)")
        }
        return wrong
    }

    /// Which of these databases are refused although nobody has put another file or keyring in a place.
    func alarms(_ truth: CustodyVerb.Truth, _ names: [String]) throws -> [String] {
        try names.compactMap { name in
            guard let rows = truth[name], let error = try failure(of: name, rows) else { return nil }
            return "\(name), false alarm: \(error)"
        }
    }

    /// Why no command gives the rows of a log that was set aside; nil if one does.
    private func lostLog(_ name: String, _ rows: [String]) throws -> String? {
        let before = try bench.files()
        defer { try? bench.restore(before) }
        try bench.remove("out.db")
        do {
            try bench.run(
                "salvage @out.db -d @\(name) --keyring @\(CustodyBench.sharedKeyring) --keys @keys --key-file @kf")
        } catch let error as LockstepError {
            return error.message
        } catch is ExitCode {
            // Something is damaged, as it is reported.
        }
        let found = try Output.$sink.withValue(OutputSink()) {
            try bench.access("out.db", CustodyBench.sharedKeyring, fields: false).session().connect(queryOnly: true)
                .query("SELECT x FROM kept") { try $0[0] as String }
        }
        return found == rows ? nil : "it has \(found) instead of \(rows)"
    }

    /// Why no command reads these rows of a file; nil if one does.
    private func failure(of name: String, _ rows: [String]) throws -> String? {
        var reason: String?
        for keyring in try bench.keyringNames()
        where keyring.hasPrefix("keys/") && keyring.hasSuffix(".database.keyring") {
            for fields in [true, false] {
                do {
                    let found = try bench.read(name, keyring, fields: fields)
                    if found == rows { return nil }
                    reason = reason ?? "it has \(found) instead of \(rows)"
                } catch let error as LockstepError {
                    reason = reason ?? error.message
                }
            }
        }
        return reason ?? "no keyring"
    }

    // MARK: Ways out

    private struct Way: Sendable {
        let name: String
        /// Does it, and returns the file that has the rows then.
        let run: @Sendable (CustodyBench, String) throws -> String
    }

    private static func tool(_ name: String, _ line: String, _ result: String? = nil) -> Way {
        Way(name: name) { bench, file in
            let keyring = CustodyVerb.keyring(of: file, bench)
            try bench.run(line.replacing("%", with: "@\(file)") + " --keyring @\(keyring) --keys @keys --key-file @kf")
            return result ?? file
        }
    }

    /// What the hints of errors name. Those that prepare another way come first.
    private static let preparing: [Way] = [
        Way(name: "put the newest keyrings back") { bench, file in
            for name in try bench.keyringNames() where name.hasPrefix("aside/") {
                try bench.move(name, to: name.replacing("aside/", with: "keys/"))
            }
            return file
        },
        Way(name: "put it back in its place") { bench, file in
            let summary = try FileSummary.read(file, bench)
            let opened = try bench.opened(CustodyVerb.keyring(of: file, bench))
            guard let id = summary?.content.database, let record = opened.keyring.record(of: id),
                let place = try opened.file.place(of: record)?.lastComponent?.string, place != file
            else { throw CustodyVerb.NotNow() }
            if bench.exists(place) { try bench.move(place, to: "elsewhere.db") }
            try bench.move(file, to: place)
            return place
        },
        tool("accept it", "keys accept-database --i-understand -d % --fields people"),
        tool("accept it as new", "keys accept-database --new --i-understand -d %"),
        tool("rotate the ring", "keys rotate-ring"),
        Way(name: "rotate the ring of the fields") { bench, file in
            try bench.run("keys rotate-ring --dataset people --keys @keys --key-file @kf")
            return file
        },
        Way(name: "restore it in its place") { bench, file in
            try bench.move(file, to: "moved.db")
            try bench.run(
                "restore @moved.db -d @\(file) --fields people --keyring @\(CustodyVerb.keyring(of: file, bench)) --keys @keys --key-file @kf"
            )
            return file
        },
        tool("migrate", "migrate -m @people --fields people -d %"),
    ]

    private static let ending: [Way] = [
        tool("restore it elsewhere", "restore % -d @out.db --fields people", "out.db"),
        tool("fork", "keys fork % -d %"), tool("salvage", "salvage @out.db -d % --fields people", "out.db"),
    ]

    /// A way that leads to the rows, of one or two steps.
    private func way(to rows: [String], from name: String) throws -> String? {
        let before = try bench.files()
        defer { try? bench.restore(before) }
        for way in Self.preparing + Self.ending {
            try bench.restore(before)
            if let end = attempt(way, name), try failure(of: end, rows) == nil { return way.name }
        }
        for first in Self.preparing {
            for second in Self.preparing + Self.ending where second.name != first.name {
                try bench.restore(before)
                guard let middle = attempt(first, name) else { break }
                if let end = attempt(second, middle), try failure(of: end, rows) == nil {
                    return "\(first.name), \(second.name)"
                }
            }
        }
        return nil
    }

    /// Nil if it is refused.
    private func attempt(_ way: Way, _ name: String) -> String? { try? way.run(bench, name) }
}
