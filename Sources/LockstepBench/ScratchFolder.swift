import FoundationEssentials
import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A folder for databases of one command, in the temporary folder if no other is named. It is made by those who
/// write to it.
struct ScratchFolder: Sendable {
    let path: FilePath

    init(in folder: String?) {
        path = FilePath(folder ?? FileManager.default.temporaryDirectory.path)
            .appending("lockstep-bench-\(UUID().uuidString)")
    }

    func remove() { try? FileManager.default.removeItem(atPath: path.string) }
}

/// One line on a terminal that tells what goes on.
enum Progress {
    /// Writes over what stood in the line; nothing where errors do not go to a terminal.
    static func show(_ text: String) {
        guard isatty(2) == 1 else { return }
        _ = try? FileDescriptor.standardError.writeAll("\r\u{1B}[K\(text)".utf8)
    }
}
