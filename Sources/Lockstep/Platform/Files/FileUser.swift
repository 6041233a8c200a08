internal import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Another process that has a file open. A program whose database has a rollback journal holds no lock between two
/// statements: only its open file shows that it is there.
struct FileUser: CustomStringConvertible {
    let process: Int32
    /// The program's name; nil if the process has ended meanwhile.
    let program: String?

    var description: String { "process \(process)" + (program.map { ", \($0)" } ?? "") }

    /// The first one that is found; nil if there is none, or if the system shows none. Linux lists the open files of all
    /// processes of the same user, and to root those of everybody.
    ///
    /// A process that is about to start another program has its parent's files open for a moment. So one that is found
    /// is looked for again, for up to 200 milliseconds.
    static func of(_ path: FilePath) -> FileUser? {
        guard let file = FileIdentity(path) else { return nil }
        var user = first(of: file)
        for _ in 0..<10 {
            guard let found = user else { return nil }
            Clock.pause(milliseconds: 20)
            user = found.has(file) ? found : first(of: file)
        }
        return user
    }

    private static func first(of file: FileIdentity) -> FileUser? {
        let own = getpid()
        // Elsewhere than on Linux there is no such folder.
        let all = try? Folder.list("/proc", where: { $0.utf8.first?.isASCIIDigit == true })
        for name in all?.folders ?? [] {
            guard let process = Int32(name), process != own else { continue }
            let user = FileUser(process: process, program: program(process))
            if user.has(file) { return user }
        }
        return nil
    }

    /// Whether the process has the file open.
    private func has(_ file: FileIdentity) -> Bool {
        let folder = FilePath("/proc/\(process)/fd")
        // It can have ended, or be another user's.
        let names = (try? Folder.list(folder))?.files ?? []
        return names.contains { FileIdentity(folder.appending($0), isFollowing: true) == file }
    }

    private static func program(_ process: Int32) -> String? {
        LockHolder.text("/proc/\(process)/comm")?.split(separator: "\n").first.map { String($0) }
    }
}
