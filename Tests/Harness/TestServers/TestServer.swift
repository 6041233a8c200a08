import Foundation
public import LockstepPostgres
import Synchronization

/// A PostgreSQL server of this test run, with a Unix socket alone, in a folder that only its user can enter.
///
/// As root it runs as the user `postgres`, since no server runs as root. It ends with the process; one that a killed
/// run has left is ended by the next run.
public final class TestServer: Sendable {
    /// No server can be started.
    public struct Unavailable: Error {
        /// Why no server can be started.
        public let reason: String
    }

    /// The folder of the socket, the log and the data.
    public let folder: String
    private let databases = Atomic<Int>(0)

    /// The one server that suites share. Each test has a database of its own.
    public static let shared = Result { () throws(Unavailable) in try TestServer(hasTLS: false)
    }

    /// Whether suites with a server can run. Says once why not.
    public static let isAvailable: Bool = {
        guard case .failure(let error) = shared else { return true }
        print("suites with a PostgreSQL server are skipped: \(error.reason)")
        return false
    }()

    private static let prefix = "/tmp/lockstep-server-"

    /// The port on 127.0.0.1 of a server with TLS; nil for one with a Unix socket alone.
    public let port: Int?

    /// - Parameter hasTLS: Whether it also listens on 127.0.0.1, with a certificate of `localhost` that `ca.crt` in its
    ///   folder signs, and asks everyone there for a password.
    public init(hasTLS: Bool) throws(Unavailable) {
        let programs = try Self.programs()
        Self.sweep(programs)
        let isOwnedByOther = geteuid() == 0
        let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        folder = "\(Self.prefix)\(getpid())-\(number)"
        let data = folder + "/data"
        let own = isOwnedByOther ? ["-o", "postgres"] : []
        try Self.run("/usr/bin/env", ["install", "-d", "-m", "700"] + own + [folder])
        try Self.asOwner(
            isOwnedByOther,
            [
                programs + "/initdb", "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8",
                "--locale=C", "--no-sync",
            ])
        let port = hasTLS ? Self.freePort() : nil
        self.port = port
        var options = ["-k", folder, "-c", "fsync=off", "-c", "max_connections=200"]
        if let port {
            try Self.makeCertificates(folder, isOwnedByOther)
            options += ["-c", "listen_addresses=127.0.0.1", "-p", "\(port)"]
        } else {
            options += ["-c", "listen_addresses="]
        }
        try Self.asOwner(
            isOwnedByOther,
            [
                programs + "/pg_ctl", "-D", data, "-w", "-t", "60", "-s", "-l", folder + "/log",
                "-o",
                options.map { "'\($0)'" }.joined(separator: " "), "start",
            ])
        guard
            let first = try? String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8)
                .split(separator: "\n").first, let process = pid_t(first)
        else { throw Unavailable(reason: "the server has written no postmaster.pid") }
        Self.running.withLock { $0.append((process, programs, folder)) }
        _ = Self.endsAll
    }

    /// Makes an authority, a certificate of `localhost`, another authority, and the rules for who may come in.
    private static func makeCertificates(
        _ folder: String, _ isOwnedByOther: Bool
    ) throws(Unavailable) {
        let script = """
            set -e
            cd \(folder)
            for name in ca other; do
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \\
                    -subj /CN=$name -keyout $name.key -out $name.crt
            done
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost \\
                -keyout server.key -out server.csr
            echo subjectAltName=DNS:localhost > names
            openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 \\
                -extfile names -out server.crt
            chmod 600 server.key
            printf "ssl = on\\nssl_cert_file = '$PWD/server.crt'\\nssl_key_file = '$PWD/server.key'\\nhba_file = '$PWD/hba'\\n" \\
                >> data/postgresql.conf
            printf 'local all all trust\\nhost all all 127.0.0.1/32 scram-sha-256\\n' > hba
            """
        try asOwner(isOwnedByOther, ["sh", "-c", script])
    }

    /// A port that nobody listens on.
    private static func freePort() -> Int? {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutableBytes(of: &address) { bytes in
            guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
                return false
            }
            return bind(socket, pointer, length) == 0
                && getsockname(socket, pointer, &length) == 0
        }
        return isBound ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }

    /// A new database.
    public func address() throws -> ServerAddress {
        let name = "test\(databases.wrappingAdd(1, ordering: .relaxed).newValue)"
        let server = try ServerConnection(address(of: "postgres"))
        try server.execute("CREATE DATABASE \(name: name)")
        return try address(of: name)
    }

    /// The address of a database.
    public func address(of database: String, user: String = "postgres") throws -> ServerAddress {
        let more = port.map { "&port=\($0)" } ?? ""
        return try ServerAddress("postgres://\(user)@/\(database)?host=\(folder)\(more)")
    }

    /// A connection to a new database.
    public static func connection() throws -> ServerConnection {
        try ServerConnection(shared.get().address())
    }

    // MARK: Starting and ending

    private static let count = Atomic<Int>(0)
    private static let running = Mutex<[(process: pid_t, programs: String, folder: String)]>(
        [])
    private static let endsAll: Void = {
        atexit {
            for (process, programs, folder) in TestServer.running.withLock({ $0 }) {
                TestServer.end(process, programs, folder)
            }
        }
    }()

    /// Ends a server and removes its folder. `pg_ctl` returns once the server has ended, which is no child of this
    /// process.
    private static func end(_ process: pid_t, _ programs: String, _ folder: String) {
        let stop = ["-D", folder + "/data", "-m", "immediate", "-w", "-s", "stop"]
        do {
            try asOwner(geteuid() == 0, [programs + "/pg_ctl"] + stop)
        } catch {
            kill(process, SIGKILL)
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Ends what killed runs have left.
    private static func sweep(_ programs: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/tmp")) ?? []
        for name in names where name.hasPrefix("lockstep-server-") {
            guard let owner = pid_t(name.dropFirst(16).prefix { $0 != "-" }),
                kill(owner, 0) != 0,
                errno == ESRCH
            else { continue }
            let folder = "/tmp/" + name
            let first = try? String(
                contentsOfFile: folder + "/data/postmaster.pid", encoding: .utf8
            )
            .split(separator: "\n").first
            if let process = first.flatMap({ pid_t($0) }), isServer(process, folder) {
                end(process, programs, folder)
            } else {
                try? FileManager.default.removeItem(atPath: folder)
            }
        }
    }

    /// Whether the process is that server, and not another one that has got its number since.
    private static func isServer(_ process: pid_t, _ folder: String) -> Bool {
        guard let line = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") else {
            return false
        }
        return String(decoding: line, as: UTF8.self).contains(folder)
    }

    private static func programs() throws(Unavailable) -> String {
        var folders: [String] = []
        if let found = try? output("/usr/bin/env", ["pg_config", "--bindir"]) {
            folders.append(found)
        }
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        folders += versions.sorted().reversed().map { "/usr/lib/postgresql/\($0)/bin" }
        guard let folder = folders.first(where: { access($0 + "/initdb", X_OK) == 0 }) else {
            throw Unavailable(reason: "PostgreSQL is not installed")
        }
        return folder
    }

    /// Runs a program as the user that the server runs as.
    func asOwner(_ command: [String]) throws(Unavailable) {
        try Self.asOwner(geteuid() == 0, command)
    }

    private static func asOwner(_ isOwnedByOther: Bool, _ command: [String]) throws(Unavailable) {
        try run(
            "/usr/bin/env",
            (isOwnedByOther ? ["runuser", "-u", "postgres", "--"] : []) + command)
    }

    private static func run(_ program: String, _ arguments: [String]) throws(Unavailable) {
        _ = try output(program, arguments)
    }

    @discardableResult
    private static func output(_ program: String, _ arguments: [String]) throws(Unavailable)
        -> String
    {
        let log = "/tmp/lockstep-server-\(getpid())-output"
        defer { try? FileManager.default.removeItem(atPath: log) }
        guard let status = spawn([program] + arguments, log) else {
            throw Unavailable(reason: "\(program) does not run")
        }
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
        guard status == 0 else {
            let last = text.split(separator: "\n").last ?? ""
            throw Unavailable(reason: "\(arguments.joined(separator: " ")): \(last)")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// Runs a program, whose output goes into a file. Foundation's Process waits until all have ended that the program has
/// started, and so for ever for a server.
/// - Returns: What it ended with; nil if it does not run.
private func spawn(_ command: [String], _ log: String) -> Int32? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    guard posix_spawn(&process, command[0], &actions, nil, &arguments, environ) == 0 else {
        return nil
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return nil } }
    return status
}
