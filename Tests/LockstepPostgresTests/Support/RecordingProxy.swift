import Foundation
import SystemPackage
import TestSupport

/// A Unix socket that passes everything on to a server's, and writes down first what passes.
final class RecordingProxy: Sendable {
    /// The folder of the socket.
    let folder: TemporaryFolder
    /// The folder of what has passed: a file for each connection and direction.
    let passed: TemporaryFolder
    private let listener: Int32

    private static let name = ".s.PGSQL.5432"

    /// - Parameter server: The folder of the server's socket.
    init(to server: String) throws {
        let (folder, passed) = (try TemporaryFolder(), try TemporaryFolder())
        let listener = try Self.socket(at: "\(folder.path)/\(Self.name)", bind)
        (self.folder, self.passed, self.listener) = (folder, passed, listener)
        guard listen(listener, 16) == 0 else { throw Errno(rawValue: errno) }
        Thread.detachNewThread {
            while case let client = accept(listener, nil, nil), client >= 0 {
                guard let other = try? Self.socket(at: "\(server)/\(Self.name)", connect) else {
                    close(client)
                    continue
                }
                let records = ["in", "out"].map {
                    open("\(passed.path)/\(client)-\($0)", O_WRONLY | O_CREAT | O_APPEND, 0o600)
                }
                Thread.detachNewThread { Self.pass([client, other], records) }
            }
        }
    }

    deinit {
        // Ends the waiting for the next connection.
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Until one of the two ends.
    private static func pass(_ ends: [Int32], _ records: [Int32]) {
        defer { for end in ends + records { close(end) } }
        var polled = ends.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while poll(&polled, 2, -1) > 0 {
            for side in 0..<2 where polled[side].revents != 0 {
                let count = read(ends[side], &buffer, buffer.count)
                guard count > 0, write(records[side], buffer, count) == count else { return }
                var sent = 0
                while sent < count {
                    let rest = Array(buffer[sent..<count])
                    let more = send(
                        ends[1 - side], rest, rest.count, Int32(MSG_NOSIGNAL))
                    guard more > 0 else { return }
                    sent += more
                }
            }
        }
    }

    private static func socket(
        at path: String, _ use: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32
    ) throws -> Int32 {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = withUnsafeBytes(of: &address) {
            use(socket, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), length)
        }
        guard status == 0 else { throw Errno(rawValue: errno) }
        return socket
    }
}
