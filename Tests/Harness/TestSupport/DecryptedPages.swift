public import Lockstep
public import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// All pages of a file and of its log as a holder of the database key sees them, including free pages and unreferenced
/// frames of the log.
public struct DecryptedPages {
    private var pages: [[UInt8]] = []

    /// Reads and decrypts them.
    /// - Throws: `wrongKey` if page 1 does not begin with the page size: under another key nothing would ever be found.
    public init(_ path: FilePath, _ key: borrowing DatabaseKey) throws {
        let key = try Self.bytes(of: key)
        let file = try FileAccess.read(path, limit: 1 << 30)
        for start in stride(from: 0, to: file.count - 4095, by: 4096) {
            let salt = start == 0 ? 16 : 0
            try add(file[start..<(start + 4096)], skipping: salt, key)
        }
        if let first = pages.first, !first.starts(with: [0x10, 0x00]) {
            throw LockstepError(.wrongKey, "\(path): page 1 has no page size under this key")
        }
        let side = FilePath(path.string + "-wal")
        guard FileAccess.exists(side) else { return }
        let log = try FileAccess.read(side, limit: 1 << 30)
        for start in stride(from: 32, to: log.count - 4119, by: 4120) {
            let isFirst = Array(log[start..<(start + 4)]) == [0, 0, 0, 1]
            try add(
                log[(start + 24)..<(start + 4120)], skipping: isFirst ? 16 : 0, key)
        }
    }

    /// The key from its keyspec, `x'` 64 hex digits `'`, which passes through a pipe and no file.
    private static func bytes(of key: borrowing DatabaseKey) throws -> [UInt8] {
        let pipe = try FileDescriptor.pipe()
        defer { try? pipe.readEnd.close() }
        do {
            defer { try? pipe.writeEnd.close() }
            try key.writeKeyspec(to: pipe.writeEnd)
        }
        let digits = try [UInt8](unsafeUninitializedCapacity: 66) { buffer, count in
            count = try pipe.readEnd.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
        return Bytes.hex(String(decoding: digits.dropFirst(2), as: UTF8.self))
    }

    private mutating func add(
        _ page: ArraySlice<UInt8>, skipping start: Int, _ key: [UInt8]
    ) throws {
        let page = Array(page)
        pages.append(
            try AES256CBC.decrypt(
                page.span.extracting(start..<4016), key: key.span,
                initialisationVector: page.span.extracting(4016..<4032)))
    }

    /// Whether any of them contains these bytes contiguously.
    public func contain(_ bytes: [UInt8]) -> Bool {
        !numbers(holding: bytes).isEmpty
    }

    /// Which of them contain these bytes contiguously: numbers from 0 on, those of the file first.
    public func numbers(holding bytes: [UInt8]) -> [Int] {
        pages.indices.filter { number in
            pages[number].withUnsafeBytes { unsafe $0.holds(bytes) }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether it contains these bytes contiguously: with the C library's functions, because a loop over bytes takes
    /// minutes in a debug build.
    public func holds(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first, var start = baseAddress else { return bytes.isEmpty }
        let end = start + count
        return bytes.withUnsafeBytes { sought in
            guard let sought = sought.baseAddress else { return true }
            while end - start >= bytes.count, let found = memchr(start, Int32(first), end - start - bytes.count + 1) {
                if memcmp(found, sought, bytes.count) == 0 { return true }
                start = UnsafeRawPointer(found) + 1
            }
            return false
        }
    }
}
