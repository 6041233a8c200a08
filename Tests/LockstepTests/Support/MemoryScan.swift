import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// A secret as a test may keep it while it looks for copies: not as it is.
struct MaskedSecret: Sendable {
    private static let mask: UInt8 = 0xA5
    private let bytes: [UInt8]

    init(_ secret: borrowing SecretBytes) {
        var masked: [UInt8] = []
        for index in 0..<secret.count { masked.append(secret.bytes[index] ^ Self.mask) }
        bytes = masked
    }

    /// In how many places of this process's writable memory the secret stands.
    func places() throws -> Int {
        let needle = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer {
            needle.deallocate()
            buffer.deallocate()
        }
        for index in bytes.indices { needle[index] = bytes[index] ^ Self.mask }
        let memory = try FileDescriptor.open("/proc/self/mem", .readOnly)
        defer { try? memory.close() }
        var found: Set<UInt> = []
        for region in try Self.writableRegions() {
            var start = region.lowerBound
            while start < region.upperBound {
                let count = min(Int(region.upperBound - start), buffer.count)
                let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
                guard let read = try? memory.read(fromAbsoluteOffset: Int64(start), into: piece),
                    read > 0
                else { break }
                Self.search(UnsafeRawBufferPointer(rebasing: piece[..<read]), for: needle) {
                    found.insert(start + UInt($0))
                }
                // A secret may lie across two pieces.
                start += UInt(count == buffer.count ? count - bytes.count : count)
            }
        }
        // What this has made itself does not count.
        let own = [UnsafeRawBufferPointer(needle), UnsafeRawBufferPointer(buffer)].map { bytes in
            UInt(bitPattern: bytes.baseAddress)..<UInt(bitPattern: bytes.baseAddress)
                + UInt(bytes.count)
        }
        return found.count { place in !own.contains { $0.contains(place) } }
    }

    private static func search(
        _ bytes: UnsafeRawBufferPointer, for needle: UnsafeMutableRawBufferPointer,
        _ tell: (Int) -> Void
    ) {
        guard let start = bytes.baseAddress, let other = needle.baseAddress else { return }
        var from = 0
        while bytes.count - from >= needle.count,
            let hit = memchr(start + from, Int32(needle[0]), bytes.count - from - needle.count + 1)
        {
            from = UnsafeRawPointer(hit) - start
            if memcmp(hit, other, needle.count) == 0 { tell(from) }
            from += 1
        }
    }

    private static func writableRegions() throws -> [Range<UInt>] {
        let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        return maps.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", maxSplits: 2)
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard fields[1].hasPrefix("rw"), ends.count == 2 else { return nil }
            return ends[0]..<ends[1]
        }
    }
}
