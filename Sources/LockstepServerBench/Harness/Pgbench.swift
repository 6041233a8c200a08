import BenchKit
import FoundationEssentials
import SystemPackage

/// The server's own program for measuring.
struct Pgbench: Sendable {
    let program: FilePath
    let site: BenchSite

    /// Rows of the plain table by their unique text, through a prepared statement and on one connection.
    func lookUp(in schema: String) throws -> Sample {
        let script = site.folder.appending("lookup.sql")
        try Data(
            """
            \\set id random(1, \(site.rows))
            \\set name \(ServerWork.firstName) + :id * \(ServerWork.nameStep)
            SELECT id, first FROM \(schema).plain WHERE name = :name;

            """.utf8
        ).write(to: URL(fileURLWithPath: script.string))
        let output = try ProgramRun.output(
            program,
            [
                "-n", "-M", "prepared", "-c", "1", "-t", "\(site.lookups)", "-f",
                script.string, site.url,
            ])
        guard
            let line = output.split(separator: "\n").last(where: { $0.hasPrefix("tps = ") }),
            let rate = Double(line.dropFirst(6).prefix { !$0.isWhitespace }),
            output.contains("processed: \(site.lookups)/\(site.lookups)")
        else { throw BenchError("pgbench printed no rate: \(output)") }
        return Sample(wall: Double(site.lookups) / rate)
    }
}
