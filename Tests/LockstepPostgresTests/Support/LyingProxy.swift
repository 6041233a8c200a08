import Foundation
import SystemPackage
import TestSupport

/// A Unix socket that passes everything on to a server's, and changes one of the server's messages.
final class LyingProxy: Sendable {
    private struct State {
        var lie: Lie?
        /// The messages of the server since the lie was set.
        var passed = 0
        /// The last message of each type.
        var earlier: [UInt8: [UInt8]] = [:]
        var changed: String?
    }

    /// The folder of the socket.
    let folder: TemporaryFolder
    private let listener: Int32
    private let lock = NSLock()
    // Safe by this proof: touched only while the lock is held.
    nonisolated(unsafe) private var state = State()

    /// - Parameter server: The folder of the server's socket.
    init(to server: String) throws {
        let folder = try TemporaryFolder()
        let listener = try UnixSocket.open(at: "\(folder.path)/\(UnixSocket.name)", bind)
        (self.folder, self.listener) = (folder, listener)
        guard listen(listener, 16) == 0 else { throw Errno(rawValue: errno) }
        Thread.detachNewThread { [weak self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                guard let self, let other = try? UnixSocket.open(at: "\(server)/\(UnixSocket.name)", connect) else {
                    close(client)
                    continue
                }
                Thread.detachNewThread { self.pass(client, other) }
            }
        }
    }

    deinit {
        // Ends the waiting for the next connection.
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// From here on messages are counted, and one is changed; none for nil.
    func begin(_ lie: Lie?) { lock.withLock { state = State(lie: lie) } }

    /// How many messages have passed, and what was changed.
    var outcome: (passed: Int, changed: String?) { lock.withLock { (state.passed, state.changed) } }

    /// Until one of the two ends.
    private func pass(_ client: Int32, _ server: Int32) {
        defer {
            close(client)
            close(server)
        }
        var polled = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var waiting: [UInt8] = []
        while poll(&polled, 2, -1) > 0 {
            if polled[0].revents != 0 {
                let count = read(client, &buffer, buffer.count)
                guard count > 0, UnixSocket.send(buffer[..<count], to: server) else { return }
            }
            guard polled[1].revents != 0 else { continue }
            let count = read(server, &buffer, buffer.count)
            guard count > 0 else { return }
            waiting += buffer[..<count]
            while waiting.count >= 5 {
                let length = 1 + Int(Lie.number(waiting[1..<5]))
                guard waiting.count >= length else { break }
                let (answer, ends) = changed(Array(waiting[..<length]))
                waiting.removeFirst(length)
                guard UnixSocket.send(answer[...], to: client), !ends else { return }
            }
        }
    }

    private func changed(_ message: [UInt8]) -> (answer: [UInt8], ends: Bool) {
        lock.withLock {
            defer {
                state.passed += 1
                state.earlier[message[0]] = message
            }
            guard var lie = state.lie, state.passed == lie.place else { return (message, false) }
            let answer = lie.change(message, earlier: state.earlier)
            state.changed = "\(Character(Unicode.Scalar(message[0]))): \(lie.kind)"
            state.lie = lie
            return answer
        }
    }
}
