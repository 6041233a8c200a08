import Lockstep
import SystemPackage

/// The input of an import: one file, or the visible files of a folder, by name, without its subfolders.
struct ImportFiles {
    /// Whether it is a folder; a problem with one of its files is then reported, and the others are imported.
    let isFolder: Bool
    let paths: [FilePath]
    /// The names of its subfolders.
    let folders: [String]

    /// - Throws: `LockstepError.Code.notFound`; errors of listing the folder.
    init(_ path: FilePath) throws {
        let type = try translatingErrno("look at", path) { try Stat(path).type }
        isFolder = type == .directory
        guard isFolder else {
            paths = [path]
            folders = []
            return
        }
        let list = try Folder.list(path)
        paths = list.files.map { path.appending($0) }
        folders = list.folders
    }

    /// Passes each file to `body`, and reports the problems that it throws.
    func forEach(
        into report: inout ImportReport, _ body: (FilePath) throws -> Void
    ) throws {
        for folder in folders { report.reject(file: folder, ImportProblem("it is a folder")) }
        for path in paths {
            do {
                try body(path)
                report.imported += 1
            } catch let problem as ImportProblem {
                report.reject(file: name(of: path), problem)
            }
        }
    }

    /// The same for an asynchronous `body`.
    func forEach(
        into report: inout ImportReport, _ body: (FilePath) async throws -> Void
    ) async throws {
        for folder in folders { report.reject(file: folder, ImportProblem("it is a folder")) }
        for path in paths {
            do {
                try await body(path)
                report.imported += 1
            } catch let problem as ImportProblem {
                report.reject(file: name(of: path), problem)
            }
        }
    }

    /// The name that the file would have if it were not sealed.
    static func plainName(of path: FilePath) -> FilePath {
        guard let name = path.lastComponent, name.extension == "age" else { return path }
        return FilePath(name.stem)
    }

    /// Its name in a report; nil for the only file.
    func name(of path: FilePath) -> String? { isFolder ? path.lastComponent?.string : nil }

    /// Runs `read`, which opens and reads a file; in a folder, a file that cannot be read is left out of the import.
    func reading<Result>(_ read: () throws -> Result) throws -> Result {
        do {
            return try read()
        } catch let error as LockstepError where isFolder && error.code != .limitExceeded {
            throw ImportProblem(
                error.code == .malformedInput ? error.message : "it cannot be read: \(error.code.rawValue)")
        }
    }
}
