import Foundation
import SystemPackage
import TestSupport

/// What a kill leaves: the file and the log of a database that is in use, copied elsewhere. A process that is killed
/// cannot close anything, and what the operating system has been given stays: these two files are all that is found.
/// Copying them while nobody writes is the same, and quick.
enum LiveCopy {
    static func make(of path: FilePath, in folder: TemporaryFolder, _ name: String) throws
        -> FilePath
    {
        let copy = folder.file(name)
        for suffix in ["", "-wal"] {
            let source = path.string + suffix
            guard FileManager.default.fileExists(atPath: source) else { continue }
            try FileManager.default.copyItem(atPath: source, toPath: copy.string + suffix)
        }
        return copy
    }
}
