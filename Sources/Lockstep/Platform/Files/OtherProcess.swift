internal import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A process of this machine that stands in a file's way, as an error names it: it holds a lock, or has the file open.
struct OtherProcess: CustomStringConvertible {
    let id: Int32

    /// The program's name; nil if the process has ended meanwhile, or the system does not show it.
    private var program: String? {
        Self.text(FilePath("/proc/\(id)/comm"))?.split(separator: "\n").first.map { String($0) }
    }

    var description: String {
        id == getpid() ? "another job of this process" : "process \(id)" + (program.map { ", \($0)" } ?? "")
    }

    // MARK: Locks

    /// The one that holds a lock on a file, where the system shows it: Linux lists all locks in `/proc/locks`.
    static func holdingLock(on file: FileDescriptor) -> OtherProcess? {
        var status = stat()
        guard unsafe fstat(file.rawValue, &status) == 0 else { return nil }
        let device = UInt64(status.st_dev)
        let major = device >> 8 & 0xFFF | device >> 32 & ~0xFFF
        let minor = device & 0xFF | device >> 12 & ~0xFF
        let place = "\(major.padded(to: 2, radix: 16)):\(minor.padded(to: 2, radix: 16)):\(status.st_ino)"
        return holdingLock(on: place, among: text("/proc/locks") ?? "")
    }

    /// - Parameters:
    ///   - place: The file, as `MAJOR:MINOR:INODE`.
    ///   - locks: Lines such as `4: FLOCK  ADVISORY  WRITE 4711 fe:00:16401048 0 EOF`. A process that waits has an
    ///     arrow before the kind.
    static func holdingLock(on place: String, among locks: String) -> OtherProcess? {
        for line in locks.split(separator: "\n") {
            let parts = line.split(separator: " ")
            guard parts.count > 5, parts[1] == "FLOCK", parts[5] == place, let process = Int32(parts[4]), process > 0
            else { continue }
            return OtherProcess(id: process)
        }
        return nil
    }

    // MARK: Open files

    /// One that has a file open. A program whose database has a rollback journal holds no lock between two statements:
    /// only its open file shows that it is there.
    ///
    /// The first one that is found; nil if there is none, or if the system shows none. Linux lists the open files of all
    /// processes of the same user, and to root those of everybody.
    ///
    /// A process that is about to start another program has its parent's files open for a moment. So one that is found
    /// is looked for again, for up to 200 milliseconds.
    static func having(open path: FilePath) -> OtherProcess? {
        guard let file = FileIdentity(path) else { return nil }
        var user = first(of: file)
        for _ in 0..<10 {
            guard let found = user else { return nil }
            Clock.pause(milliseconds: 20)
            user = found.has(file) ? found : first(of: file)
        }
        return user
    }

    private static func first(of file: FileIdentity) -> OtherProcess? {
        let own = getpid()
        // Elsewhere than on Linux there is no such folder.
        let all = try? Folder.list("/proc", where: { $0.utf8.first?.isASCIIDigit == true })
        for name in all?.folders ?? [] {
            guard let process = Int32(name), process != own else { continue }
            let user = OtherProcess(id: process)
            if user.has(file) { return user }
        }
        return nil
    }

    /// Whether the process has the file open.
    private func has(_ file: FileIdentity) -> Bool {
        let folder = FilePath("/proc/\(id)/fd")
        // It can have ended, or be another user's.
        let names = (try? Folder.list(folder))?.files ?? []
        return names.contains { FileIdentity(folder.appending($0), isFollowing: true) == file }
    }

    /// The content of a file of the kernel, which has no size.
    private static func text(_ path: FilePath) -> String? {
        guard let file = try? FileDescriptor.open(path, .readOnly, options: .closeOnExec) else {
            return nil
        }
        defer { try? file.close() }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 1 << 20 {
            let count = unsafe piece.withUnsafeMutableBytes {
                unsafe read(file.rawValue, $0.baseAddress, $0.count)
            }
            guard count > 0 else { break }
            bytes += piece.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
