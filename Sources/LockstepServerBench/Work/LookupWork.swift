import BenchKit
import Lockstep
import LockstepPostgres

/// Finds rows by a sealed text, one after another.
struct LookupWork {
    let site: BenchSite

    func run(_ schema: String, inTransaction: Bool) throws -> Sample {
        let server = try site.connect(schema, sealed: true)
        let wanted = Rows.keys(site.lookups, of: site.rows).map { Rows.record(Int($0)) }
        let find = try server.prepare("SELECT id, first FROM record WHERE \(sealed: "record.first")")
        var found: [Int64] = []
        found.reserveCapacity(wanted.count)
        func findAll() throws {
            for record in wanted {
                found += try find.query(record.first) { row in
                    let (id, first): (Int64, String) = (try row[0], try row[1])
                    return first == record.first ? id : -1
                }
            }
        }
        let sample = try Sample.measure {
            guard inTransaction else { return try findAll() }
            try server.transaction { _ in try findAll() }
        }
        guard found == wanted.map(\.id) else { throw BenchError("other rows were found") }
        return sample
    }
}
