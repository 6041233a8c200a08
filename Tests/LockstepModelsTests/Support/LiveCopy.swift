import Foundation
import SystemPackage
import TestSupport

/// The state after a kill: the file and the log of a database in use, copied elsewhere. A killed process cannot close
/// anything, but data that it has given to the operating system stays: only these two files remain.
/// Copying them while nothing writes gives the same result, quickly.
enum LiveCopy {
    static func make(of path: FilePath, in folder: TemporaryFolder, _ name: String) throws -> FilePath {
        let copy = folder.file(name)
        for suffix in ["", "-wal"] {
            let source = path.string + suffix
            guard FileManager.default.fileExists(atPath: source) else { continue }
            try FileManager.default.copyItem(atPath: source, toPath: copy.string + suffix)
        }
        return copy
    }
}
