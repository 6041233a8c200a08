import Foundation
import Lockstep
import SystemPackage

/// The other process: it runs whole operations on request, so that its locks and descriptors belong to another process.
final class Peer {
    private let process = Process()
    private let requests = Pipe()
    private let answers = Pipe()

    /// Starts another process of this program.
    init() throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["serve"]
        process.standardInput = requests
        process.standardOutput = answers
        try process.run()
    }

    deinit { try? requests.fileHandleForWriting.close() }

    /// Runs an operation there, and waits for its end.
    func run(_ operation: Operation, _ ground: Ground) -> Operation.Outcome {
        try? requests.fileHandleForWriting.write(contentsOf: Data("\(operation.rawValue) \(ground.folder)\n".utf8))
        var line: [UInt8] = []
        let descriptor = FileDescriptor(rawValue: answers.fileHandleForReading.fileDescriptor)
        while true {
            var byte: UInt8 = 0
            let count = withUnsafeMutableBytes(of: &byte) { buffer in
                (try? descriptor.read(into: buffer)) ?? 0
            }
            guard count == 1 else { return .done("the other process has ended") }
            if byte == UInt8(ascii: "\n") { break }
            line.append(byte)
        }
        return Operation.Outcome(text: String(decoding: line, as: UTF8.self))
    }

    /// The work of the other process.
    static func serve() {
        while let line = readLine() {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let operation = Operation(rawValue: String(parts[0])) else {
                return
            }
            let ground = Ground(folder: FilePath(String(parts[1])))
            let outcome: Operation.Outcome
            do {
                var prepared = try operation.prepare(ground)
                outcome = operation.run(ground, &prepared, side: "B")
                // Closing is part of it.
                prepared.connection = nil
            } catch {
                outcome = .refused(
                    (error as? LockstepError)?.code ?? .misuse, "\(error)")
            }
            FileHandle.standardOutput.write(Data("\(outcome.text)\n".utf8))
        }
    }
}
