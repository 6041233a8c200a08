#if Postgres
    import Lockstep
    import LockstepPostgres

    /// Finds rows by a sealed text, one after another.
    struct LookupWork {
        let site: BenchSite

        func run(_ schema: String) throws -> Sample {
            let server = try site.connect(schema, sealed: true)
            let wanted = Rows.keys(site.lookups, of: site.rows).map { Rows.record(Int($0)) }
            var found: [Int64] = []
            found.reserveCapacity(wanted.count)
            let sample = try Sample.measure {
                for record in wanted {
                    found += try server.query(
                        """
                        SELECT id, first FROM record
                        WHERE \(sealed: "record.first", equals: .text(record.first))
                        """
                    ) { row in
                        let (id, first): (Int64, String) = (try row[0], try row[1])
                        return first == record.first ? id : -1
                    }
                }
            }
            guard found == wanted.map(\.id) else { throw BenchError("other rows were found") }
            return sample
        }
    }
#endif
