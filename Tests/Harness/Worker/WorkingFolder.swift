import Foundation
import Lockstep
import SystemPackage

/// `working-folder FOLDER OTHER`: opens a store by a relative path in FOLDER, goes to OTHER, and uses connections that
/// open only then. Prints what it reads.
enum WorkingFolder {
    static func run(_ arguments: [String]) async {
        do {
            chdir(arguments[0])
            var options = StoreOptions()
            options.readers = 3
            let store = try await Store.open("films.db", key: .keyFile("my.key"), options: options)
            try await store.write { db in
                try db.run(script: "CREATE TABLE film (title TEXT); INSERT INTO film VALUES ('M');")
            }
            chdir(arguments[1])
            try await store.write { db in try db.execute("INSERT INTO film VALUES ('Metropolis')") }
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        try await store.read { db in
                            try db.value(
                                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50000) SELECT count(*) / 50000 * (SELECT count(*) FROM film) FROM n",
                                as: Int.self) ?? 0
                        }
                    }
                }
                var counts: Set<Int> = []
                for try await count in group { counts.insert(count) }
                return counts
            }
            try await store.close()
            print(counts.sorted())
        } catch {
            print("failed: \(error)")
        }
    }
}
