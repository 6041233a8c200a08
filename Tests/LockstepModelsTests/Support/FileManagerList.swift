import Foundation
import SystemPackage

/// What lies in a folder, hidden files too.
enum FileManagerList {
    static func names(_ folder: FilePath) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? []).sorted()
    }
}
