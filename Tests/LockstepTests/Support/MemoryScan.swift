import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// A secret as a test may keep it while it looks for copies: not as it is.
struct MaskedSecret: Sendable {
    private static let mask: UInt8 = 0xA5
    /// Half a key is found, too: programs keep keys beside other things, and cut in pieces.
    static let pieceLength = 16
    private let pieces: [[UInt8]]

    init(_ secret: borrowing SecretBytes, from first: Int = 0) {
        var pieces: [[UInt8]] = []
        for start in stride(from: first, to: secret.count, by: Self.pieceLength) {
            guard secret.count - start >= Self.pieceLength / 2 else { continue }
            var piece: [UInt8] = []
            for index in start..<min(start + Self.pieceLength, secret.count) {
                piece.append(secret.bytes[index] ^ Self.mask)
            }
            pieces.append(piece)
        }
        self.pieces = pieces
    }

    /// Where in this process's writable memory a half of the secret stands, and what lies there.
    func places() throws -> [String] {
        let scan = try MemoryScan()
        return try scan.places(of: pieces, mask: Self.mask)
    }
}

/// Reads all of this process's writable memory.
///
/// Through the kernel, so that memory that goes away meanwhile is an error and not a crash.
private final class MemoryScan {
    private let memory: FileDescriptor
    /// Mapped and unmapped by itself: from the heap it would stay there, full of what it has read.
    private let buffer: UnsafeMutableRawBufferPointer

    init() throws {
        let size = 1 << 20
        let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        let mapped = try #require(start, "no memory to read into")
        try #require(mapped != MAP_FAILED, "no memory to read into")
        buffer = UnsafeMutableRawBufferPointer(start: mapped, count: size)
        memory = try FileDescriptor.open("/proc/self/mem", .readOnly)
    }

    deinit {
        try? memory.close()
        munmap(buffer.baseAddress, buffer.count)
    }

    func places(of pieces: [[UInt8]], mask: UInt8) throws -> [String] {
        var found: Set<UInt> = []
        var places: [String] = []
        for region in try Self.writableRegions() {
            var start = region.range.lowerBound
            while start < region.range.upperBound {
                let wanted = min(Int(region.range.upperBound - start), buffer.count)
                let window = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
                guard
                    let count = try? memory.read(
                        fromAbsoluteOffset: Int64(start), into: window),
                    count > 0
                else { break }
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                for (number, piece) in pieces.enumerated() {
                    for offset in Self.offsets(of: piece, mask: mask, in: bytes)
                    where found.insert(start + UInt(offset)).inserted {
                        let at = String(start + UInt(offset), radix: 16)
                        places.append("piece \(number) at \(at) in \(region.name)")
                    }
                }
                // A secret may lie across two windows.
                start += UInt(count < buffer.count ? count : count - MaskedSecret.pieceLength)
            }
        }
        return places
    }

    /// Compares masked with masked, so that the search makes no copy of what it looks for.
    private static func offsets(
        of piece: [UInt8], mask: UInt8, in bytes: UnsafeRawBufferPointer
    ) -> [Int] {
        guard let base = bytes.baseAddress, bytes.count >= piece.count else { return [] }
        let last = bytes.count - piece.count
        var offsets: [Int] = []
        var from = 0
        while from <= last, let hit = memchr(base + from, Int32(piece[0] ^ mask), last - from + 1) {
            let offset = UnsafeRawPointer(hit) - base
            if piece.indices.allSatisfy({ bytes[offset + $0] == piece[$0] ^ mask }) {
                offsets.append(offset)
            }
            from = offset + 1
        }
        return offsets
    }

    /// To the very end: the kernel gives the list in pieces, and whoever stops at a short one misses the rest.
    private static func maps() throws -> String {
        let file = try FileDescriptor.open("/proc/self/maps", .readOnly)
        return try file.closeAfter {
            var text: [UInt8] = []
            let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
            defer { piece.deallocate() }
            while case let count = try file.read(into: piece), count > 0 {
                text += piece[..<count]
            }
            return String(decoding: text, as: UTF8.self)
        }
    }

    private static func writableRegions() throws -> [(range: Range<UInt>, name: String)] {
        return try maps().split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard fields[1].hasPrefix("rw"), ends.count == 2 else { return nil }
            return (ends[0]..<ends[1], fields.count > 5 ? String(fields[5]) : "memory of no file")
        }
    }
}
