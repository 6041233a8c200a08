import Foundation
public import LockstepPostgres
import Synchronization

/// A pgbouncer in transaction mode before a server of this test run: each transaction of a client can be on another
/// connection. It has four, and a Unix socket beside the server's. It ends with the value.
public final class TestPooler {
    private static let count = Atomic<Int>(0)
    private let server: TestServer
    private let process: pid_t
    private let port: Int

    /// Nil if pgbouncer is not installed, which is said.
    /// - Throws: `TestServer.Unavailable` if it does not start.
    public init?(before server: TestServer) throws {
        let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
        guard let program else {
            print("a test with a pooler is skipped: pgbouncer is not installed")
            return nil
        }
        self.server = server
        let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        port = 6432 + number
        let folder = server.folder
        let own = "\(folder)/pooler-\(number)"
        let settings = """
            [databases]
            * = host=\(folder) port=5432 user=postgres
            [pgbouncer]
            listen_addr =
            listen_port = \(port)
            unix_socket_dir = \(folder)
            auth_type = any
            pool_mode = transaction
            default_pool_size = 4
            logfile = \(own).log
            pidfile = \(own).pid
            """
        try server.asOwner([
            "sh", "-c", "printf '%s\\n' \"$1\" > \(own).ini", "sh", settings,
        ])
        try server.asOwner([program, "-q", "-d", own + ".ini"])
        // It writes its number once it listens, and a moment after the program has returned.
        var found: pid_t?
        for _ in 0..<10_000_000 where found == nil {
            let text = FileManager.default.contents(atPath: own + ".pid")
            found = text.flatMap {
                pid_t(String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .newlines))
            }
        }
        guard let process = found else {
            throw TestServer.Unavailable(reason: "pgbouncer has written no number of a process")
        }
        self.process = process
    }

    deinit { kill(process, SIGKILL) }

    /// The address of a new database, by way of the pooler.
    public func address() throws -> ServerAddress {
        let database = try server.address().database
        return try ServerAddress("postgres://postgres@/\(database)?host=\(server.folder)&port=\(port)")
    }

    /// The same database's address without the pooler.
    public func direct(_ address: ServerAddress) throws -> ServerAddress {
        try server.address(of: address.database)
    }
}
