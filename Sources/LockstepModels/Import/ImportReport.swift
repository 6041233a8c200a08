/// What an import imported, and what it left out.
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

    mutating func reject(file: String? = nil, _ line: Int?, _ reason: String) {
        rejected += 1
        guard rejections.count < Self.maximumRejections else { return }
        rejections.append(Rejection(file: file, line: line, reason: reason))
    }
}
