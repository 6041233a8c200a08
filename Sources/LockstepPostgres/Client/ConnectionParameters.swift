internal import CPostgreSQL
internal import Lockstep
internal import SystemPackage

/// What libpq is given to connect.
struct ConnectionParameters: ~Copyable {
    private var values: [(name: String, value: String)] = []
    private let password: SecretBytes?
    private let hosts: [ServerAddress.Host]
    private let approach: ServerApproach

    /// - Throws: `LockstepError.Code.permissionsTooOpen` and other errors of reading the pass file; what the source of
    ///   the password throws.
    init(
        _ address: ServerAddress, _ credentials: ServerCredentials, _ options: ServerOptions
    ) throws {
        var passFile = "/dev/null/none"
        switch credentials {
        case .none: password = nil
        case .passFile(let path):
            // libpq only warns about a file that others can read. It is read here for the checks alone.
            _ = try FileAccess.read(path, limit: 1 << 20, .secret)
            passFile = path.string
            password = nil
        case .password(let source): password = try source()
        }
        hosts = address.hosts
        approach = ServerApproach(address, options)
        values = [
            ("dbname", address.database), ("application_name", options.applicationName),
            ("client_encoding", "UTF8"), ("passfile", passFile), ("fallback_application_name", "lockstep"),
            ("keepalives", "1"), ("keepalives_idle", "30"), ("gssencmode", "disable"),
        ]
        if let user = address.user { values.append(("user", user)) }
        if address.isLocal {
            values.append(("sslmode", "disable"))
        } else if options.allowsUntrusted {
            values.append(("sslmode", "prefer"))
        } else {
            values.append(("sslmode", "verify-full"))
            if case .none = credentials {
            } else {
                values.append(("channel_binding", "require"))
                // From 16 on. Before, the channel binding alone says that only SCRAM will do.
                if PQlibVersion() >= 160_000 {
                    values.append(("require_auth", "scram-sha-256"))
                }
            }
        }
        for (name, value) in address.settings.sorted(by: { $0.key < $1.key }) {
            values.append((name, value))
        }
    }

    /// Connects once more as another connection did, with the host that it found. libpq keeps the password for that.
    static func connect(
        beside other: OpaquePointer, _ address: ServerAddress, _ options: ServerOptions
    ) throws -> OpaquePointer {
        guard let all = unsafe PQconninfo(other) else { throw outOfMemory }
        defer { unsafe PQconninfoFree(all) }
        var names: [[UInt8]] = []
        var texts: [[UInt8]] = []
        defer {
            for index in texts.indices {
                unsafe texts[index].withUnsafeMutableBytes { unsafe wipe($0) }
            }
        }
        var option = unsafe all
        while let keyword = unsafe option.pointee.keyword {
            defer { unsafe option += 1 }
            let name = unsafe String(cString: keyword)
            guard let value = unsafe option.pointee.val, name != "host", name != "port" else { continue }
            names.append(Array(name.utf8) + [0])
            texts.append(
                unsafe Array(
                    UnsafeRawBufferPointer(start: value, count: unsafe strlen(value) + 1)))
        }
        guard let host = unsafe PQhost(other), let port = unsafe PQport(other) else { throw outOfMemory }
        let hosts = unsafe [ServerAddress.Host(name: String(cString: host), port: Int(String(cString: port)) ?? 0)]
        return try unsafe ServerApproach(address, options).connect(hosts) { try unsafe start(names, texts, $0, $1) }
    }

    private static var outOfMemory: LockstepError {
        LockstepError(.limitExceeded, "there is no memory for a connection to a server")
    }

    /// - Parameters: Names and values, each with a zero at its end.
    private static func start(
        _ names: [[UInt8]], _ texts: [[UInt8]], _ hosts: String, _ ports: String
    ) throws -> OpaquePointer {
        func text(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }
        let handle = unsafe withPointers(names + [text("host"), text("port")]) { names in
            unsafe withPointers(texts + [text(hosts), text(ports)]) { values in
                unsafe PQconnectStartParams(names, values, 0)
            }
        }
        guard let handle = unsafe handle else { throw outOfMemory }
        return unsafe handle
    }

    /// Connects, which blocks. The handle can be one of a failed connection.
    func connect() throws -> OpaquePointer {
        var names = values.map(\.name)
        var texts = values.map { Array($0.value.utf8) + [0] }
        switch password {
        case .none: break
        case .some(let password):
            names.append("password")
            texts.append(try Self.text(of: password))
        }
        // libpq copies the password into ordinary memory; the copy here is wiped.
        defer {
            for index in texts.indices {
                unsafe texts[index].withUnsafeMutableBytes { unsafe Self.wipe($0) }
            }
        }
        return try unsafe approach.connect(hosts) {
            try unsafe Self.start(names.map { Array($0.utf8) + [0] }, texts, $0, $1)
        }
    }

    /// The compiler does not know what the function does, and so leaves the call in.
    private static func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        unsafe lockstep_wipe(start, bytes.count)
    }

    private static func text(of password: borrowing SecretBytes) throws(LockstepError)
        -> [UInt8]
    {
        guard password.count > 0, !containsZero(password.bytes) else {
            throw LockstepError(
                .secretUnsuitable, "the server's password is empty or contains U+0000",
                advice: "give it with \(.serverPassword)")
        }
        var text = Array(repeating: UInt8(0), count: password.count + 1)
        for index in 0..<password.count { text[index] = password.bytes[index] }
        return text
    }

    private static func containsZero(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices where bytes[index] == 0 { return true }
        return false
    }

    /// The texts, each with a zero at its end, as an array of pointers with a null at its end.
    private static func withPointers<Output>(
        _ texts: [[UInt8]], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Output
    ) -> Output {
        var all: [UInt8] = []
        var starts: [Int] = []
        for text in texts {
            starts.append(all.count)
            all += text
        }
        defer {
            unsafe all.withUnsafeMutableBytes { unsafe wipe($0) }
        }
        return unsafe all.withUnsafeBufferPointer { bytes in
            let base = unsafe UnsafeRawPointer(bytes.baseAddress)?
                .assumingMemoryBound(to: CChar.self)
            let pointers = unsafe starts.map { start in unsafe base.map { unsafe $0 + start } } + [nil]
            return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
        }
    }
}
