import ArgumentParser
import Lockstep
import LockstepPostgres
import SystemPackage

/// A PostgreSQL database in place of a file.
struct ServerTarget: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Instead of a file, a database of a PostgreSQL server.",
            discussion: """
                As in postgres://user@host/database, or postgres:///database?host=/run/postgresql for a Unix socket. Never \
                with a password: see --password-file.
                """, valueName: "address"))
    var url: String?

    @Option(help: "The schema on the server. (default: the first of the role's search path)") var schema: String?

    @Option(
        help: ArgumentHelp(
            "A file with the server's password, of the form of .pgpass and of mode 0600.",
            valueName: "file"))
    var passwordFile: String?

    @Option(
        help: "An open file descriptor from which to read the server's password, up to end of file."
    )
    var passwordFd: Int32?

    @Flag(
        help: """
            Use a server on the network that does not prove who it is. Anyone on the way can then read and change \
            everything.
            """)
    var allowUntrustedServer = false

    var isNamed: Bool { url != nil }

    func validate() throws {
        guard url == nil else {
            _ = try address()
            guard passwordFile == nil || passwordFd == nil else {
                throw ValidationError("give the password with --password-file or --password-fd, not both")
            }
            return
        }
        let others = [
            schema.map { _ in "--schema" }, passwordFile.map { _ in "--password-file" },
            passwordFd.map { _ in "--password-fd" }, allowUntrustedServer ? "--allow-untrusted-server" : nil,
        ].compactMap(\.self)
        if let first = others.first {
            throw ValidationError("\(first) is for a server: name it with --url")
        }
    }

    private func address(_ text: String? = nil) throws -> ServerAddress {
        do {
            return try ServerAddress(text ?? url ?? "")
        } catch {
            throw ValidationError("\(error.message)" + (error.advice.map { "\nHint: \($0.typed)" } ?? ""))
        }
    }

    /// The password, without a line feed at its end.
    private static func password(from descriptor: Int32) throws -> SecretBytes {
        let secret = try SecretBytes(readingFrom: descriptor)
        return try SecretBytes(
            copying: secret.bytes.extracting(0..<lengthWithoutLineFeed(secret)))
    }

    private static func lengthWithoutLineFeed(_ secret: borrowing SecretBytes) -> Int {
        let last = secret.count - 1
        return last > 0 && secret.bytes[last] == UInt8(ascii: "\n") ? last : secret.count
    }

    /// Connects with the server.
    /// - Parameters:
    ///   - copy: The address of another database, for the same role.
    ///   - keys: The keys of the datasets whose sealed columns the command reads.
    ///   - isNew: Whether no keyring remembers the database yet, in which nothing may be sealed.
    func connect(
        copy: String? = nil, keys: [FieldKeys] = [], isNew: Bool = false
    ) throws -> ServerConnection {
        var options = ServerOptions()
        options.fieldKeys = keys
        (options.mayBeUnknown, options.mayBeUnsealed) = (isNew, isNew)
        options.schema = schema
        options.allowsUntrusted = allowUntrustedServer
        options.shouldContinue = { !Interruption.isRequested }
        if allowUntrustedServer {
            Output.note(
                "warning: the server need not prove who it is: anyone on the way can read and change everything")
        }
        let credentials: ServerCredentials
        if let passwordFile {
            credentials = .passFile(FilePath(passwordFile))
        } else if let passwordFd {
            credentials = .password { try Self.password(from: passwordFd) }
        } else {
            credentials = .none
        }
        return try ServerConnection(address(copy), credentials, options)
    }
}
