import Foundation
import Synchronization
import SystemPackage

/// Finds the files in which a text is readable: in a folder, in the folders for temporary files, and through this
/// process's descriptors of deleted files (SQLite deletes its temporary files at once).
struct PlaintextSearch: Sendable {
    private let folder: FilePath

    init(_ folder: FilePath) { self.folder = folder }

    func places(of text: String) throws -> [String] {
        let wanted = Data(text.utf8)
        return (try files(in: folder.string) + temporaryFiles() + deletedFiles()).filter { path in
            // Files that others delete meanwhile are skipped.
            let content = try? Data(contentsOf: URL(filePath: path))
            return content?.range(of: wanted) != nil
        }
    }

    private func files(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map {
            "\(folder)/\($0)"
        }
    }

    /// SQLite's own temporary files that have a name; all begin with the same word.
    private func temporaryFiles() -> [String] {
        let environment = ProcessInfo.processInfo.environment
        let folders = [environment["SQLITE_TMPDIR"], environment["TMPDIR"], "/var/tmp", "/usr/tmp", "/tmp", "."]
        return Set(folders.compactMap(\.self)).flatMap { (try? files(in: $0)) ?? [] }
            .filter { $0.contains("/etilqs_") }
    }

    private func deletedFiles() throws -> [String] {
        try files(in: "/proc/self/fd").filter { path in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            return target?.hasPrefix("/") == true && target?.hasSuffix(" (deleted)") == true
        }
    }
}

/// Searches repeatedly on its own thread, while something runs that yields no rows.
final class PlaintextWatch: Sendable {
    private struct State {
        var isRunning = true
        var searches = 0
        var found: Set<String> = []
    }

    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    /// Starts searching for `text`.
    init(_ folder: FilePath, _ text: String) {
        let search = PlaintextSearch(folder)
        Thread.detachNewThread { [self] in
            // At least once, however soon it is stopped.
            repeat {
                let places = (try? search.places(of: text)) ?? ["the search failed"]
                state.withLock { state in
                    state.searches += 1
                    state.found.formUnion(places)
                }
            } while state.withLock { $0.isRunning }
            ended.signal()
        }
    }

    /// The number of completed searches.
    var searches: Int { state.withLock { $0.searches } }

    /// Ends the search and returns all findings.
    func stop() -> Set<String> {
        state.withLock { $0.isRunning = false }
        ended.wait()
        return state.withLock { $0.found }
    }
}
