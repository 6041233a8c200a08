import Lockstep
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A secret in the form that a test keeps while it looks for copies: masked.
struct MaskedSecret: Codable, Sendable {
    fileprivate static let mask: UInt8 = 0xA5
    /// Half a key is found, too: programs store keys next to other data, and in pieces.
    static let pieceLength = 16
    fileprivate let pieces: [[UInt8]]

    /// The bytes of a secret from an offset on.
    init(_ secret: borrowing SecretBytes, from first: Int = 0) {
        self.init(count: secret.count, from: first) { secret.bytes[$0] }
    }

    /// Bytes derived from a secret.
    init(_ bytes: [UInt8]) { self.init(count: bytes.count, from: 0) { bytes[$0] } }

    private init(count: Int, from first: Int, _ byte: (Int) -> UInt8) {
        var pieces: [[UInt8]] = []
        for start in stride(from: first, to: count, by: Self.pieceLength) {
            guard count - start >= Self.pieceLength / 2 else { continue }
            var piece: [UInt8] = []
            for index in start..<min(start + Self.pieceLength, count) {
                piece.append(byte(index) ^ Self.mask)
            }
            pieces.append(piece)
        }
        self.pieces = pieces
    }

    /// The places in this process's writable memory that contain a piece of the secret.
    func places() throws -> [MemoryPlace] { try MemoryScan.places(of: ["": self])[""] ?? [] }
}

/// The place where a piece of a secret was found. It reveals nothing of the secret.
struct MemoryPlace: CustomStringConvertible, Sendable {
    /// Which piece of the secret, from 0.
    let piece: Int
    /// Its address.
    let address: UInt
    /// The region that contains it.
    let region: MemoryRegion

    /// For messages.
    var description: String {
        "piece \(piece) at \(String(address, radix: 16)) in \(region.name), "
            + (region.isLocked ? "locked" : "not locked") + (region.isUndumped ? ", left out of dumps" : ", dumped")
    }
}

/// Memory of a process that it can write, as the kernel describes it.
struct MemoryRegion: Sendable {
    /// Its addresses.
    let range: Range<UInt>
    /// The name of the mapped file or kernel region, or that the memory belongs to no file.
    let name: String
    /// Whether it stays out of swap.
    let isLocked: Bool
    /// Whether it is left out of core dumps.
    let isUndumped: Bool

    /// All regions of a process, by its number or `self`.
    static func all(of process: String) throws -> [MemoryRegion] {
        var regions: [MemoryRegion] = []
        var open: (range: Range<UInt>, name: String)?
        for line in try text(of: FilePath("/proc/\(process)/smaps")).split(separator: "\n") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            if fields[0] == "VmFlags:", let (range, name) = open {
                regions.append(
                    MemoryRegion(
                        range: range, name: name, isLocked: fields.contains("lo"), isUndumped: fields.contains("dd")))
                open = nil
            }
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if ends.count == 2, fields.count > 4, fields[1].hasPrefix("rw") {
                let name = fields.count > 5 ? String(fields[5]) : "memory of no file"
                open = (ends[0]..<ends[1], name)
            }
        }
        return regions
    }

    /// To the very end: the kernel returns the list in pieces, and a reader that stops at a short one misses the rest.
    private static func text(of path: FilePath) throws -> String {
        let file = try FileDescriptor.open(path, .readOnly)
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
}

/// Reads all of a process's writable memory.
///
/// Through the kernel, so that memory that is unmapped meanwhile is an error and not a crash.
final class MemoryScan {
    private let memory: FileDescriptor
    /// Mapped separately, so that it can be excluded: it contains the data that was read.
    private let buffer: UnsafeMutableRawBufferPointer

    /// The places of pieces of secrets in a process, by its number or `self`.
    static func places(
        of secrets: [String: MaskedSecret], in process: String = "self"
    ) throws -> [String: [MemoryPlace]] {
        let scan = try MemoryScan(process)
        return try scan.places(of: secrets, in: MemoryRegion.all(of: process))
    }

    private init(_ process: String) throws {
        memory = try FileDescriptor.open(FilePath("/proc/\(process)/mem"), .readOnly)
        let size = 1 << 20
        let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        let isMapped = start != MAP_FAILED
        buffer = UnsafeMutableRawBufferPointer(start: isMapped ? start : nil, count: isMapped ? size : 0)
        guard isMapped else { throw Errno.noMemory }
    }

    deinit {
        try? memory.close()
        munmap(buffer.baseAddress, buffer.count)
    }

    private func places(
        of secrets: [String: MaskedSecret], in regions: [MemoryRegion]
    ) throws -> [String: [MemoryPlace]] {
        let own = UInt(bitPattern: buffer.baseAddress)
        let left = own..<(own + UInt(buffer.count))
        var found: Set<UInt> = []
        var places: [String: [MemoryPlace]] = [:]
        for region in regions {
            var start = region.range.lowerBound
            while start < region.range.upperBound {
                if left.contains(start) { start = left.upperBound }
                let end = start < left.lowerBound ? left.lowerBound : region.range.upperBound
                let stop = min(region.range.upperBound, end)
                guard start < stop else { break }
                let wanted = min(Int(stop - start), buffer.count)
                let window = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
                guard
                    let count = try? memory.read(
                        fromAbsoluteOffset: Int64(start), into: window),
                    count > 0
                else { break }
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                for (name, secret) in secrets {
                    for (number, piece) in secret.pieces.enumerated() {
                        for offset in Self.offsets(of: piece, in: bytes)
                        where found.insert(start + UInt(offset)).inserted {
                            places[name, default: []].append(
                                MemoryPlace(piece: number, address: start + UInt(offset), region: region))
                        }
                    }
                }
                // A secret can extend across two windows.
                start += UInt(count < buffer.count ? count : count - MaskedSecret.pieceLength)
            }
        }
        return places
    }

    /// Compares masked with masked, so that the search makes no copy of the secret.
    private static func offsets(of piece: [UInt8], in bytes: UnsafeRawBufferPointer) -> [Int] {
        guard let base = bytes.baseAddress, bytes.count >= piece.count else { return [] }
        let mask = MaskedSecret.mask
        let last = bytes.count - piece.count
        var offsets: [Int] = []
        var from = 0
        while from <= last, let hit = memchr(base + from, Int32(piece[0] ^ mask), last - from + 1) {
            let offset = UnsafeRawPointer(hit) - base
            if bytes[offset + 1] == piece[1] ^ mask,
                piece.indices.allSatisfy({ bytes[offset + $0] == piece[$0] ^ mask })
            {
                offsets.append(offset)
            }
            from = offset + 1
        }
        return offsets
    }
}
