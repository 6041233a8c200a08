import Foundation
public import SystemPackage

/// Programs that a test writes and then runs.
public enum ProgramFile {
    /// Writes a program that its owner can run.
    ///
    /// The kernel refuses to run a file that is open for writing, and every process that another test starts meanwhile
    /// inherits this one's descriptors until it runs its own program. So `cp` writes the file, in a process that starts
    /// no others.
    public static func write(_ text: String, to path: FilePath) throws {
        let source = "\(path).text"
        try Data(text.utf8).write(to: URL(fileURLWithPath: source))
        let copying = Process()
        copying.executableURL = URL(fileURLWithPath: "/bin/cp")
        copying.arguments = [source, path.string]
        try copying.run()
        copying.waitUntilExit()
        guard copying.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o700], ofItemAtPath: path.string)
        try FileManager.default.removeItem(atPath: source)
    }
}
