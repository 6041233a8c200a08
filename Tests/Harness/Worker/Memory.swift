import Foundation

/// How much memory this process has needed.
enum Memory {
    struct Failed: Error {}

    /// By how many KiB `body` raised the process's peak.
    static func growth(_ body: () async throws -> Void) async throws -> Int {
        // 5 resets the peak to the current use.
        try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
        let before = try status("VmRSS")
        try await body()
        return try status("VmHWM") - before
    }

    /// A field of /proc/self/status in KiB.
    private static func status(_ field: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(field):") }
        guard let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first,
            let value = Int(number)
        else { throw Failed() }
        return value
    }
}

/// Chunks whose bytes show where they belong.
struct Chunks: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let total: Int
    var offset = 0

    init(total: Int) { self.total = total }

    static func chunk(at offset: Int, _ count: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: offset / 65_536 &* 7), count: count)
    }

    func makeAsyncIterator() -> Chunks { self }

    mutating func next() async throws -> [UInt8]? { following() }

    mutating func following() -> [UInt8]? {
        guard offset < total else { return nil }
        let chunk = Self.chunk(at: offset, Swift.min(65_536, total - offset))
        offset += chunk.count
        return chunk
    }
}
