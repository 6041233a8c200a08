import Foundation
import Lockstep
import SystemPackage
import TestServers
import TestSupport
import Testing

@testable import LockstepPostgres

@Suite("Servers on a network", .withServer)
struct ConnectionFailureTests {
    /// One test, since it turns off the server's TLS at its end.
    @Test(
        "A server must prove that it is the one of the address, and each doubt is an error of its own"
    )
    func network() throws {
        let server: TestServer
        do {
            server = try TestServer(hasTLS: true)
        } catch {
            // The other suites run without openssl's program.
            print("servers with TLS are not tried: \(error.reason)")
            return
        }
        let admin = try ServerConnection(server.address(of: "postgres"))
        try admin.execute("CREATE ROLE app LOGIN PASSWORD 's3cret'")
        let folder = try TemporaryFolder()
        let authorities = try ["ca", "other"].map { name in
            // The server's folder is closed to everyone but its user, or root.
            try folder.write(
                "\(name).crt", Bytes.read(FilePath("\(server.folder)/\(name).crt")))
        }
        #expect(authorities.count == 2)
        let port = try #require(server.port)
        func passFile(_ password: String, mode: Int = 0o600) throws -> ServerCredentials {
            let path = folder.file("pass\(password.utf8.count)-\(mode)")
            try Bytes.write(Array("*:*:*:app:\(password)\n".utf8), to: path, mode: mode)
            return .passFile(path)
        }
        func connect(
            to host: String = "localhost", ca: String? = "ca", _ credentials: ServerCredentials,
            isUntrusted: Bool = false
        ) throws {
            let authority = ca.map { "?sslrootcert=\(folder.file("\($0).crt"))" } ?? ""
            var options = ServerOptions()
            options.allowsUntrusted = isUntrusted
            let address = try ServerAddress(
                "postgres://app@\(host):\(port)/postgres\(authority)")
            let connection = try ServerConnection(address, credentials, options)
            let isEncrypted = try connection.value(
                "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", as: Bool.self)
            #expect(isEncrypted == true)
        }
        let right = try passFile("s3cret")
        try connect(right)
        try connect(.password { try SecretBytes(copying: Array("s3cret".utf8).span) })
        refused(.serverUntrusted) { try connect(ca: "other", right) }
        refused(.serverUntrusted) { try connect(to: "127.0.0.1", right) }
        refused(.serverUntrusted) { try connect(ca: "none", right) }
        try connect(to: "127.0.0.1", ca: nil, right, isUntrusted: true)
        let wrong = refused(.loginRefused) { try connect(passFile("wr0ng-one")) }
        #expect(wrong?.message.contains("wr0ng-one") == false)
        refused(.loginRefused) { try connect(.none) }
        refused(.permissionsTooOpen) { try connect(passFile("s3cret", mode: 0o644)) }
        refused(.notFound) { try connect(.passFile(folder.file("no"))) }
        refused(.secretUnsuitable) { try connect(.password { try SecretBytes(zeroed: 4) }) }
        try admin.execute("ALTER SYSTEM SET ssl = off")
        try admin.execute("SELECT pg_reload_conf()")
        // The server takes the setting a moment later.
        for _ in 0..<1000 { guard (try? connect(right)) != nil else { break } }
        refused(.serverUntrusted) { try connect(right) }
    }

    @Test(
        "A server that runs as somebody else than the owner of the socket's folder is not trusted"
    )
    func peer() throws {
        let server = try TestServer.shared.get()
        let folder = try TemporaryFolder()
        // The folder is this process's own. As root, the server is another user's.
        try FileManager.default.createSymbolicLink(
            atPath: folder.file(".s.PGSQL.5432").string, withDestinationPath: "\(server.folder)/.s.PGSQL.5432")
        let address = try ServerAddress("postgres://postgres@/postgres?host=\(folder.path)")
        guard geteuid() == 0 else {
            _ = try ServerConnection(address)
            return
        }
        refused(.serverUntrusted) { _ = try ServerConnection(address) }
        _ = try ServerConnection(ServerAddress("\(address)&requirepeer=postgres"))
        refused(.serverUnreachable) {
            _ = try ServerConnection(ServerAddress("\(address)&requirepeer=daemon"))
        }
    }
}
