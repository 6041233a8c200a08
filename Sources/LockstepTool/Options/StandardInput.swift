import Lockstep
import SystemPackage

/// What another program writes into this one.
enum StandardInput {
    /// Reads all of it.
    /// - Throws: ``LockstepError/Code/tooLarge`` for more than `limit` bytes.
    static func read(limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = try translatingErrno("read", "standard input") {
                unsafe try chunk.withUnsafeMutableBytes {
                    try unsafe FileDescriptor.standardInput.read(into: $0)
                }
            }
            guard count > 0 else { return bytes }
            bytes.append(contentsOf: chunk[..<count])
            guard bytes.count <= limit else {
                throw LockstepError(
                    .tooLarge, "standard input has more than \(limit) bytes", hint: "check what writes it")
            }
        }
    }
}
