/// Reads a file's pages in order, in large pieces, and checks their MACs.
// Sendable by this proof: `file`, `authenticator` and `buffer` are used only by the thread that has the reader.
// `Parallel` gives a reader to one thread at a time, and to none after it returns.
final class PageReader: @unchecked Sendable {
    /// Pages per read: 1 MiB, at which the disk reaches its full speed.
    static let chunk = 256
    /// A page that fails can have been read in the middle of a write.
    private static let attempts = 3

    private let file: DatabaseFile
    private let authenticator: PageAuthenticator
    private var buffer: [UInt8] = []

    init(_ file: consuming DatabaseFile, _ authenticator: consuming PageAuthenticator) {
        self.file = file
        self.authenticator = authenticator
    }

    /// The numbers of a chunk's pages in the main file that do not verify.
    /// - Parameters:
    ///   - total: The number of pages in the file.
    ///   - besides: Pages that are not checked.
    func damagedPages(
        inChunk chunk: Int, of total: Int, besides: Set<UInt32>
    ) throws -> [UInt32] {
        let first = chunk * Self.chunk
        let pages = (first..<min(first + Self.chunk, total)).map { index in
            (number: UInt32(clamping: index + 1), offset: index * Profile.current.pageSize)
        }
        return try damaged(pages) { number in
            besides.contains(number) || number == Profile.current.lockPage
        }
    }

    /// The numbers of the frames' pages that do not verify.
    func damagedPages(_ frames: ArraySlice<WriteAheadLog.Frame>) throws -> [UInt32] {
        try damaged(frames.map { ($0.page, $0.offset) })
    }

    private func damaged(
        _ pages: [(number: UInt32, offset: Int)],
        isLeftOut: (UInt32) -> Bool = { _ in false }
    ) throws -> [UInt32] {
        guard let start = pages.first?.offset, let last = pages.last?.offset else { return [] }
        let pageSize = Profile.current.pageSize
        // Only a variable can lend a span.
        var buffer: [UInt8] = []
        swap(&buffer, &self.buffer)
        defer { swap(&buffer, &self.buffer) }
        if buffer.count < last - start + pageSize {
            buffer = [UInt8](repeating: 0, count: last - start + pageSize)
        }
        let count = try file.read(at: start, into: &buffer)
        var damaged: [UInt32] = []
        for (number, offset) in pages where !isLeftOut(number) {
            let place = offset - start..<offset - start + pageSize
            var isGood = false
            if place.upperBound <= count {
                isGood = try authenticator.verifies(
                    buffer.span.extracting(place), number: number)
            }
            for _ in 1..<Self.attempts where !isGood {
                let page = try file.read(at: offset, pageSize)
                isGood = try authenticator.verifies(page.span, number: number)
            }
            if !isGood { damaged.append(number) }
        }
        return damaged
    }
}
