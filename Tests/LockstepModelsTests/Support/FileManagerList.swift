import Foundation
import SystemPackage

/// The files in a folder, including hidden files.
enum FileManagerList {
    static func names(_ folder: FilePath) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.string).sorted()
    }
}
