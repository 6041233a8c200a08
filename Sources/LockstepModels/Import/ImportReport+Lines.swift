import Lockstep
import SystemPackage

extension ImportReport {
    /// Passes each line of a file to `body`, and reports the problems that it throws. Opens the file itself, because a
    /// transaction that is lost runs again from the first line.
    init(
        linesOf path: FilePath, _ identity: ImportIdentity?, _ connection: borrowing Connection,
        _ body: ([UInt8]) throws -> Void
    ) throws {
        self.init()
        var reader = try LineReader(path, identity)
        var number = 0
        while let line = try reader.next() {
            number += 1
            // Lines that are left out run no statement, which would check the time.
            try connection.requireTime()
            do {
                guard case .bytes(let bytes) = line else {
                    throw ImportProblem("it is longer than 16 MiB")
                }
                try body(bytes)
                imported += 1
            } catch let problem as ImportProblem {
                reject(number, problem.reason)
            }
        }
    }
}
