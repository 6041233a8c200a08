import Foundation
import SystemPackage

/// What TERM and INT do to a process that runs campaigns in their long form: the first asks for the end after the
/// current steps; the second prints the lines of the parts that still run, and ends the process.
enum CampaignSignals {
    private static let lock = NSLock()
    // Safe by this proof: touched only while the lock is held.
    nonisolated(unsafe) private static var parts: [CampaignPart] = []
    nonisolated(unsafe) private static var count = 0

    /// Whether a signal has asked for the end.
    static var haveAskedForEnd: Bool { lock.withLock { count > 0 } }

    /// Where the handler writes a byte for each signal.
    private static let signals: (ends: FileDescriptor, handler: FileDescriptor)? = {
        guard let pipe = try? FileDescriptor.pipe() else { return nil }
        for end in [pipe.readEnd, pipe.writeEnd] {
            _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC)
        }
        return (pipe.readEnd, pipe.writeEnd)
    }()

    private static let isInstalled: Bool = {
        guard Torture.isLong || Torture.duration != nil, let signals else { return false }
        Thread.detachNewThread { listen(signals.ends) }
        for number in [SIGTERM, SIGINT] {
            // Programs that tests start do not inherit a handler.
            _ = signal(number) { _ in
                guard let end = CampaignSignals.signals?.handler.rawValue else { return }
                var byte: UInt8 = 0
                _ = write(end, &byte, 1)
            }
        }
        return true
    }()

    private static func listen(_ ends: FileDescriptor) {
        var byte: UInt8 = 0
        while true {
            let read = withUnsafeMutableBytes(of: &byte) { try? ends.read(into: $0) }
            guard read == 1 else { return }
            let left: [CampaignPart]? = lock.withLock {
                count += 1
                return count > 1 ? parts : nil
            }
            guard let left else { continue }
            for part in left { part.endInStep() }
            _exit(1)
        }
    }

    static func watch(_ part: CampaignPart) {
        _ = isInstalled
        lock.withLock { parts.append(part) }
    }

    static func forget(_ part: CampaignPart) {
        lock.withLock { parts.removeAll { $0 === part } }
    }
}
