import FoundationEssentials
import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A folder for the databases of one command, by default in the temporary folder. The code that writes to it makes it.
struct ScratchFolder: Sendable {
    let path: FilePath

    init(in folder: String?) {
        path = FilePath(folder ?? FileManager.default.temporaryDirectory.path)
            .appending("lockstep-bench-\(UUID().uuidString)")
    }

    func remove() { try? FileManager.default.removeItem(atPath: path.string) }
}

/// Shows progress in one line on a terminal.
enum Progress {
    /// Replaces the line; does nothing if errors do not go to a terminal.
    static func show(_ text: String) {
        guard isatty(2) == 1 else { return }
        _ = try? FileDescriptor.standardError.writeAll("\r\u{1B}[K\(text)".utf8)
    }
}
