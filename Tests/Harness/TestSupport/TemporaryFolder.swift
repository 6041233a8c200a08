import Foundation
public import SystemPackage

/// A folder of mode 0700 for one test, removed when the value goes away.
public final class TemporaryFolder: Sendable {
    /// Its path.
    public let path: FilePath

    /// Makes the folder.
    public init() throws {
        let url = FileManager.default.temporaryDirectory
            .appending(path: "lockstep-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        path = FilePath(url.path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path.string) }

    /// A path in the folder; nothing is created.
    public func file(_ name: String) -> FilePath { path.appending(name) }

    /// Writes a file of mode 0600 and returns its path.
    @discardableResult
    public func write(_ name: String, _ bytes: [UInt8]) throws -> FilePath {
        let file = file(name)
        try Bytes.write(bytes, to: file)
        return file
    }

    /// The same for text.
    @discardableResult
    public func write(_ name: String, _ text: String) throws -> FilePath {
        try write(name, Array(text.utf8))
    }
}

/// Files as bytes, for tests that damage them.
public enum Bytes {
    /// The content of a file.
    public static func read(_ path: FilePath) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path.string)))
    }

    /// Writes a file with these permission bits.
    public static func write(_ bytes: [UInt8], to path: FilePath, mode: Int = 0o600) throws {
        try Data(bytes).write(to: URL(filePath: path.string))
        try FileManager.default.setAttributes(
            [.posixPermissions: mode], ofItemAtPath: path.string)
    }

    /// The bytes of hexadecimal digits; empty for anything else.
    public static func hex(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return [] }
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }

    /// Whether `needle` occurs anywhere in `haystack`.
    public static func contain(_ haystack: [UInt8], _ needle: String) -> Bool {
        Data(haystack).range(of: Data(needle.utf8)) != nil
    }
}
