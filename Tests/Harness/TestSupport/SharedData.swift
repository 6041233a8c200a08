import Foundation
public import SystemPackage

/// Vectors, fixtures and data that can be installed beside the project. Without them, the tests that need them report
/// that they were skipped.
public enum SharedData {
    private static let folder: FilePath = {
        var path = FilePath(#filePath)
        for _ in 0..<5 { path.removeLastComponent() }
        return path.appending("shared")
    }()

    /// The path of all Wycheproof vectors, which the script of Tests/Campaigns/Oracles can set.
    private static let wycheproof = ProcessInfo.processInfo.environment["LOCKSTEP_WYCHEPROOF"]
    private static let wycheproofPrefix = "vectors/wycheproof/"

    /// Whether a file or folder is there.
    public static func has(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: path(name).string)
    }

    /// The path of a file or folder.
    public static func path(_ name: String) -> FilePath {
        guard let wycheproof, name.hasPrefix(wycheproofPrefix) else {
            return folder.appending(name)
        }
        return FilePath(wycheproof).appending(String(name.dropFirst(wycheproofPrefix.count)))
    }

    /// A JSON file, decoded.
    public static func json<Content: Decodable>(
        _ name: String, as type: Content.Type
    ) throws -> Content {
        try JSONDecoder().decode(
            type, from: Data(contentsOf: URL(filePath: path(name).string)))
    }

    /// Why a test was skipped.
    public static let missing = "the folder shared/ is not beside the project, or lacks the file"
}
