internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Listing a folder.
enum Folder {
    /// The names of the folder's visible files and of its visible folders, each sorted.
    static func list(_ path: FilePath) throws -> (files: [String], folders: [String]) {
        guard let stream = unsafe path.withPlatformString({ unsafe opendir($0) }) else {
            let failure = Errno(rawValue: errno)
            guard failure != .notDirectory else {
                throw LockstepError(
                    .notAFile, "\(path) is a file, not a folder", hint: "give the folder's path")
            }
            throw LockstepError.system(failure, "open the folder", path)
        }
        defer { unsafe closedir(stream) }
        var files: [String] = []
        var folders: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            guard !name.hasPrefix(".") else { continue }
            let status = try translatingErrno("look at", path.appending(name)) {
                try Stat(path.appending(name))
            }
            switch status.type {
            case .regular: files.append(name)
            case .directory: folders.append(name)
            default: continue
            }
        }
        return (files.sorted(), folders.sorted())
    }
}
