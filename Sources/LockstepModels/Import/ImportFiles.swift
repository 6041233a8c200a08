import Lockstep
import SystemPackage

/// What is to be imported from a path: one file, or the visible files of a folder, by name. What is in folders of that
/// folder is not.
struct ImportFiles {
    /// Whether it is a folder; what is wrong with one of its files is then reported, and the others come in.
    let isFolder: Bool
    let paths: [FilePath]
    /// Names of folders in it.
    let folders: [String]

    /// - Throws: ``LockstepError/Code/notFound``; why a folder cannot be listed.
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

    /// Hands each file to `body`, and reports what it throws of a folder's.
    func forEach(
        into report: inout ImportReport, _ body: (FilePath) throws -> Void
    ) throws {
        for folder in folders { report.reject(file: folder, nil, "it is a folder") }
        for path in paths {
            do {
                try body(path)
                report.imported += 1
            } catch let problem as ImportProblem {
                report.reject(file: name(of: path), nil, problem)
            }
        }
    }

    /// The same for what does not block.
    func forEach(
        into report: inout ImportReport, _ body: (FilePath) async throws -> Void
    ) async throws {
        for folder in folders { report.reject(file: folder, nil, "it is a folder") }
        for path in paths {
            do {
                try await body(path)
                report.imported += 1
            } catch let problem as ImportProblem {
                report.reject(file: name(of: path), nil, problem)
            }
        }
    }

    /// What a file would be called that is not sealed.
    static func plainName(of path: FilePath) -> FilePath {
        guard let name = path.lastComponent, name.extension == "age" else { return path }
        return FilePath(name.stem)
    }

    /// What a report calls it; nil for the only file.
    func name(of path: FilePath) -> String? { isFolder ? path.lastComponent?.string : nil }

    /// Runs `read`, which opens and reads a file; a folder's file that cannot be read is none to be imported.
    func reading<Result>(_ read: () throws -> Result) throws -> Result {
        do {
            return try read()
        } catch let error as LockstepError where isFolder && error.code != .limitExceeded {
            throw ImportProblem(
                error.code == .malformedInput
                    ? error.message : "it cannot be read: \(error.code.rawValue)")
        }
    }
}

/// Why a file is not imported, without any of its content.
struct ImportProblem: Error {
    let reason: String
    /// Whether nothing is wrong with the file, and its content is there already.
    let isKnown: Bool

    init(_ reason: String, isKnown: Bool = false) {
        self.reason = reason
        self.isKnown = isKnown
    }
}

extension ImportReport {
    fileprivate mutating func reject(file: String?, _ line: Int?, _ problem: ImportProblem) {
        reject(file: file, line, problem.reason)
        if problem.isKnown { known += 1 }
    }
}
