internal import CPostgreSQL
internal import Lockstep

/// Finds the host that answers. libpq's own timeout counts silence alone: a server that never stops talking would hold a
/// program for ever, and what it says before it lets anyone in would stand on the program's standard error.
struct ServerApproach {
    let address: ServerAddress
    /// The time for each host.
    let timeout: Duration
    let shouldContinue: (@Sendable () -> Bool)?

    /// How often the program is asked, in microseconds.
    private static let askingInterval: Int64 = 100_000

    init(_ address: ServerAddress, _ options: ServerOptions) {
        self.address = address
        // As libpq has it.
        timeout = max(options.connectTimeout, .seconds(2))
        shouldContinue = options.shouldContinue
    }

    /// Connects. The handle can be one of a failed connection.
    /// - Parameters:
    ///   - hosts: The hosts, in the order in which they are tried.
    ///   - start: Begins with these hosts, in libpq's form.
    func connect(
        _ hosts: [ServerAddress.Host], _ start: (_ names: String, _ ports: String) throws -> OpaquePointer
    ) throws -> OpaquePointer {
        var hosts = hosts[...]
        while true {
            let handle = try unsafe start(
                hosts.map(\.name).joined(separator: ","), hosts.map { String($0.port) }.joined(separator: ","))
            unsafe PQsetNoticeReceiver(handle, { _, _ in }, nil)
            if try unsafe finish(handle) { return unsafe handle }
            // libpq goes on from host to host, except after a time that it does not count here.
            let (name, port) = unsafe (text(PQhost(handle)), text(PQport(handle)))
            unsafe PQfinish(handle)
            let place = hosts.firstIndex { ExactText($0.name) == ExactText(name) && String($0.port) == port }
            hosts = hosts[((place ?? hosts.endIndex - 1) + 1)...]
            guard hosts.isEmpty else { continue }
            throw LockstepError(
                .serverUnreachable, "\(address): no connection within \(timeout)",
                hint: "check the host and port, and that the server runs")
        }
    }

    private func text(_ start: UnsafePointer<CChar>?) -> String {
        unsafe start.map { unsafe String(cString: $0) } ?? ""
    }

    /// Goes on until the connection stands or has failed; false if that takes too long.
    private func finish(_ handle: OpaquePointer) throws -> Bool {
        let end = Clock.monotonicMicroseconds + timeout.wholeMicroseconds
        var askedAt = Clock.monotonicMicroseconds
        var state = PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK, state != PGRES_POLLING_FAILED {
            let now = Clock.monotonicMicroseconds
            guard now < end else { return false }
            if now - askedAt > Self.askingInterval {
                askedAt = now
                guard shouldContinue?() ?? true else {
                    unsafe PQfinish(handle)
                    throw ServerSession.cancelled
                }
            }
            let socket = unsafe PQsocket(handle)
            if socket >= 0, lockstep_await(socket, state == PGRES_POLLING_WRITING ? 1 : 0, 100) == 0 { continue }
            state = unsafe PQconnectPoll(handle)
        }
        return true
    }
}
