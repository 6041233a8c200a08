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

    /// - Parameter server: The folder of the server's socket.
    init(to server: String) throws {
        let (folder, passed) = (try TemporaryFolder(), try TemporaryFolder())
        let listener = try UnixSocket.open(at: "\(folder.path)/\(UnixSocket.name)", bind)
        (self.folder, self.passed, self.listener) = (folder, passed, listener)
        guard listen(listener, 16) == 0 else { throw Errno(rawValue: errno) }
        Thread.detachNewThread {
            while case let client = accept(listener, nil, nil), client >= 0 {
                guard let other = try? UnixSocket.open(at: "\(server)/\(UnixSocket.name)", connect) else {
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
                guard UnixSocket.send(buffer[..<count], to: ends[1 - side]) else { return }
            }
        }
    }
}
