import Lockstep
import Testing

@testable import LockstepPostgres

@Suite("Addresses of servers")
struct ServerAddressTests {
    @Test("An address names hosts, ports, role, database and certificates")
    func parts() throws {
        let address = try ServerAddress(
            "postgres://films%20app@db1.example,db2.example:5433,[::1]:7/films?sslrootcert=/etc/ca%2Fca.crt")
        #expect(address.user == "films app" && address.database == "films")
        #expect(address.hosts.map(\.name) == ["db1.example", "db2.example", "::1"])
        #expect(address.hosts.map(\.port) == [5432, 5433, 7])
        #expect(address.settings == ["sslrootcert": "/etc/ca/ca.crt"])
        #expect(
            "\(address)" == "postgres://films app@db1.example,db2.example:5433,[::1]:7/films")
    }

    @Test("The folder of a Unix socket is the host")
    func socket() throws {
        let address = try ServerAddress("postgresql:///films?host=/run/postgresql&port=6000")
        #expect(address.user == nil && address.isLocal)
        #expect(address.hosts == [.init(name: "/run/postgresql", port: 6000)])
    }

    @Test(
        "A password is refused wherever it stands, and not repeated",
        arguments: [
            "postgres://app:s3cret@db/films", "postgres://:s3cret@db/films",
            "postgres://app@db/films?password=s3cret",
            "postgres://app@db/films?sslpassword=s3cret",
            "postgres://app:s3cret@db", "postgres://app:s3cret/x@db/films",
            "postgres://app@db/films?PASSWORD=s3cret",
            "postgres://app@db/films?passfile=s3cret",
        ])
    func password(_ text: String) {
        let error = refused(.misuse) { _ = try ServerAddress(text) }
        #expect(error.map { "\($0)".contains("s3cret") } == false)
    }

    @Test(
        "What is no address is refused without being repeated",
        arguments: [
            "", "films.db", "mysql://a@b/c", "postgres://b", "postgres://b/",
            "postgres:///films",
            "postgres://b:0/c", "postgres://b:65536/c", "postgres://b:x/c",
            "postgres://b/c?zzz=1",
            "postgres://b/c?port=1&port=2", "postgres://b/c?host=d", "postgres://b/%zz",
            "postgres://b/%00",
            "postgres://b c/d", "postgres://b,,c/d", "postgres://b/%ff", "postgres://[::1/c",
            "postgres://b/c/d",
        ])
    func malformed(_ text: String) {
        let error = refused(.misuse) { _ = try ServerAddress(text) }
        #expect(error.map { $0.message.contains("zzz") } == false)
    }
}
