internal import Lockstep
internal import SystemPackage

/// The imported entries, and those that were left out.
public struct ImportReport: Sendable, Equatable {
    /// Something that was left out: a line, an entry that begins at it, or a whole file of a folder.
    public struct Rejection: Sendable, Equatable {
        /// The file's name, if a folder is imported.
        public let file: String?
        /// The line's number in the file, from 1 on; nil for a whole file.
        public let line: Int?
        /// The reason, without any of the content.
        public let reason: String
    }

    /// How many were imported.
    public internal(set) var imported = 0
    /// How many were left out.
    public internal(set) var rejected = 0
    /// How many of those were left out because their content is already stored, as the caller asked.
    public internal(set) var known = 0
    /// Whether there was something to import and none of it could be: then nothing was written. An empty file or folder
    /// has nothing to import.
    public var tookNothing: Bool { imported == 0 && known == 0 && rejected > 0 }
    /// The first ``maximumRejections`` rejections, in the file's order.
    public internal(set) var rejections: [Rejection] = []

    /// Further rejections would only fill the memory; they are still counted.
    public static let maximumRejections = 1000

    mutating func reject(file: String? = nil, line: Int? = nil, _ problem: ImportProblem) {
        rejected += 1
        if problem.isKnown { known += 1 }
        guard rejections.count < Self.maximumRejections else { return }
        rejections.append(Rejection(file: file, line: line, reason: problem.reason))
    }

    /// Passes each line of a file to `body`, and reports the problems that it throws.
    static func ofLines(
        _ path: FilePath, _ identity: ImportIdentity?, _ connection: borrowing Connection,
        _ body: ([UInt8]) throws -> Void
    ) throws -> ImportReport {
        // Opened here, because a transaction that is lost runs again from the first line.
        var reader = try LineReader(path, identity)
        var report = ImportReport()
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
                report.imported += 1
            } catch let problem as ImportProblem {
                report.reject(line: number, problem)
            }
        }
        return report
    }
}

/// Why a line, a card or a file is not imported, without any of its content.
struct ImportProblem: Error {
    let reason: String
    /// Whether it is valid, and left out only because its content is already stored.
    let isKnown: Bool

    init(_ reason: String, isKnown: Bool = false) {
        self.reason = reason
        self.isKnown = isKnown
    }
}
