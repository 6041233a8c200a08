internal import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The process that holds a lock, where the system shows it: Linux lists all locks in `/proc/locks`.
struct LockHolder: CustomStringConvertible {
    let process: Int32
    /// The program's name; nil if the process has ended meanwhile.
    let program: String?

    /// Nil if nobody holds a lock on the file, or the system does not show it.
    init?(of file: FileDescriptor) {
        var status = stat()
        guard unsafe fstat(file.rawValue, &status) == 0 else { return nil }
        let device = UInt64(status.st_dev)
        let major = device >> 8 & 0xFFF | device >> 32 & ~0xFFF
        let minor = device & 0xFF | device >> 12 & ~0xFF
        let place = "\(major.padded(to: 2, radix: 16)):\(minor.padded(to: 2, radix: 16)):\(status.st_ino)"
        self.init(of: place, among: Self.text("/proc/locks") ?? "")
    }

    /// - Parameters:
    ///   - place: The file, as `MAJOR:MINOR:INODE`.
    ///   - locks: Lines such as `4: FLOCK  ADVISORY  WRITE 4711 fe:00:16401048 0 EOF`. A process that waits has an
    ///     arrow before the kind.
    init?(of place: String, among locks: String) {
        for line in locks.split(separator: "\n") {
            let parts = line.split(separator: " ")
            guard parts.count > 5, parts[1] == "FLOCK", parts[5] == place, let process = Int32(parts[4]), process > 0
            else { continue }
            self.process = process
            let name = Self.text(FilePath("/proc/\(process)/comm"))?.split(separator: "\n").first
            program = name.map { String($0) }
            return
        }
        return nil
    }

    var description: String {
        if process == getpid() { return "another job of this process" }
        return "process \(process)" + (program.map { ", \($0)" } ?? "")
    }

    /// The content of a file of the kernel, which has no size.
    static func text(_ path: FilePath) -> String? {
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
