public import Lockstep

/// Where a PostgreSQL server and its database are: `postgres://user@host1:5433,host2/films`.
///
/// A Unix socket is named by its folder, `postgres://user@/films?host=/run/postgresql`. Besides `host` and `port`, an
/// address can have `sslrootcert`, the file of the certificates that sign the server's; `sslcert` and `sslkey`, the
/// client's own; and `requirepeer`, the user that the server on a Unix socket runs as. It never has a password: see
/// ``ServerCredentials``.
public struct ServerAddress: Sendable, Hashable {
    /// A host and a port, or the folder of a socket.
    public struct Host: Sendable, Hashable {
        /// The name, the address, or the absolute path of the socket's folder.
        public let name: String
        /// The port, or the number in the socket's name.
        public let port: Int

        /// Whether it is a Unix socket.
        public var isSocket: Bool { name.begins(with: "/") }
    }

    /// The hosts, in the order in which they are tried.
    public let hosts: [Host]
    /// The name of the role; nil for that of the operating system's user.
    public let user: String?
    /// The database.
    public let database: String
    /// What the address sets besides, by libpq's names.
    let settings: [String: String]  // exact: names of the source

    private static let known = [
        "host", "port", "sslrootcert", "sslcert", "sslkey", "requirepeer",
    ]
    private static let defaultPort = 5432

    /// Reads an address.
    /// - Throws: `LockstepError.Code.misuse`. The message repeats nothing of the address, which can have a password in
    ///   it.
    public init(_ text: String) throws(LockstepError) {
        guard
            let rest = text.rest(after: "postgres://") ?? text.rest(after: "postgresql://")
        else { throw Self.malformed("does not begin with postgres://") }
        guard !text.utf8.contains(where: { $0 < 0x21 || $0 == 0x7F }) else {
            throw Self.malformed(
                "has a space or a control character: write it as %20 and the like")
        }
        let parts = rest.pieces(between: "?", atMost: 1)
        var settings = try Self.settings(parts.count > 1 ? parts[1] : "")
        let path = parts[0].pieces(between: "/", atMost: 1)
        var authority = path[0]
        if let at = authority.unicodeScalars.lastIndex(of: "@") {
            let user = authority[..<at]
            guard !user.utf8.contains(UInt8(ascii: ":")) else { throw Self.passwordInside }
            self.user = user.isEmpty ? nil : try Self.decoded(user)
            authority = authority[authority.unicodeScalars.index(after: at)...]
        } else {
            user = nil
        }
        let database = try Self.decoded(path.count > 1 ? path[1] : "")
        guard !database.isEmpty else {
            throw Self.malformed("names no database: it ends in /films, for example")
        }
        guard !database.utf8.contains(UInt8(ascii: "/")) else {
            throw Self.malformed("has a / in the database's name")
        }
        self.database = database
        hosts = try Self.hosts(
            authority, settings.removeValue(forKey: "host"),
            settings.removeValue(forKey: "port"))
        self.settings = settings
    }

    // exact: names of the source
    private static func settings(_ text: Substring) throws(LockstepError) -> [String: String] {
        var settings: [String: String] = [:]  // exact: names of the source
        for pair in text.pieces(between: "&").filter({ !$0.isEmpty }) {
            let parts = pair.pieces(between: "=", atMost: 1)
            let name = String(parts[0])
            guard !["password", "sslpassword", "passfile"].contains(name.asciiLowercased) else {
                throw passwordInside
            }
            guard known.contains(name), parts.count == 2 else {
                throw malformed("sets something else than \(known.joined(separator: ", "))")
            }
            guard settings.updateValue(try decoded(parts[1]), forKey: name) == nil else {
                throw malformed("sets \(name) twice")
            }
        }
        return settings
    }

    private static func hosts(
        _ authority: Substring, _ given: String?, _ port: String?
    ) throws(LockstepError) -> [Host] {
        guard authority.isEmpty || given == nil else { throw malformed("names the host twice") }
        let names = given.map { $0[...] } ?? authority
        guard !names.isEmpty else {
            throw malformed("names no host: for a Unix socket, add ?host=/run/postgresql")
        }
        var hosts: [Host] = []
        for one in names.pieces(between: ",") {
            hosts.append(try host(one, port, isAuthority: given == nil))
        }
        return hosts
    }

    private static func host(
        _ text: Substring, _ given: String?, isAuthority: Bool
    ) throws(LockstepError) -> Host {
        var name = text
        var port = given
        if text.begins(with: "["), let end = text.unicodeScalars.firstIndex(of: "]") {
            name = text[..<end].rest(after: "[") ?? ""
            let rest = text[text.unicodeScalars.index(after: end)...]
            guard rest.isEmpty || rest.begins(with: ":") else {
                throw malformed("has a malformed host")
            }
            port = rest.rest(after: ":").map(String.init) ?? port
        } else if isAuthority, let colon = text.unicodeScalars.firstIndex(of: ":") {
            name = text[..<colon]
            port = String(text[text.unicodeScalars.index(after: colon)...])
        }
        let decoded = isAuthority ? try decoded(name) : String(name)
        guard let number = port.map({ Int($0) }) ?? defaultPort, (1...65535).contains(number)
        else {
            throw malformed("has a port that is no number from 1 to 65535")
        }
        guard !decoded.isEmpty, !decoded.utf8.contains(UInt8(ascii: ",")),
            decoded.begins(with: "/") || !decoded.utf8.contains(UInt8(ascii: "/"))
        else { throw malformed("has a malformed host") }
        return Host(name: decoded, port: number)
    }

    private static func decoded(_ text: Substring) throws(LockstepError) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            // Hex.decode takes lower case alone.
            let digits = Substring(rest.prefix(2)).lowercased()
            guard let decoded = Hex.decode(digits)?.first, digits.utf8.count == 2,
                decoded >= 0x20
            else { throw malformed("has a malformed % sequence") }
            bytes.append(decoded)
            rest = rest.dropFirst(2)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw malformed("is not UTF-8")
        }
        return text
    }

    private static func malformed(_ what: String) -> LockstepError {
        LockstepError(.misuse, "the server's address \(what)", hint: "an address is postgres://user@host/database")
    }

    private static var passwordInside: LockstepError {
        LockstepError(
            .misuse,
            "the server's address has a password in it, which others can read in lists of processes and in logs",
            advice: "leave it out, and give the password with \(.serverPassword)")
    }

    var isLocal: Bool { hosts.allSatisfy(\.isSocket) }
}

extension ServerAddress: CustomStringConvertible {
    /// The address without settings.
    public var description: String {
        let names = hosts.map { host in
            let name = host.name.contains(":") ? "[\(host.name)]" : host.name
            return host.port == Self.defaultPort || host.isSocket
                ? name : "\(name):\(host.port)"
        }
        let at = user.map { "\($0)@" } ?? ""
        let list = names.joined(separator: ",")
        let port = hosts.first?.port ?? Self.defaultPort
        let more = port == Self.defaultPort ? "" : "&port=\(port)"
        return isLocal ? "postgres://\(at)/\(database)?host=\(list)\(more)" : "postgres://\(at)\(list)/\(database)"
    }
}
