import FaultyVFS
import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Serialized with the tests of failing files, which also count calls to the file layer.
extension FaultTests {
    @Suite("Cost of blobs")
    struct BlobCost {
        /// How many reads of the file layer `body` makes in the scratch folder.
        private static func reads(
            in scratch: DatabaseScratch, _ body: () async throws -> Void
        ) async throws -> Int {
            try #require(faulty_vfs_install() == 0)
            scratch.folder.path.withPlatformString {
                faulty_vfs_arm($0, Int32(FAULTY_READ), Int32(FAULTY_ONCE), .max)
            }
            do { try await body() } catch {
                _ = faulty_vfs_disarm()
                throw error
            }
            return Int(faulty_vfs_disarm())
        }

        @Test("A blob in chunks is read once and written once, not once per chunk")
        func reads() async throws {
            let scratch = try DatabaseScratch()
            var options = StoreOptions()
            options.cacheBytes = 0
            options.connection.synchronous = .normal
            let store = try Store.create(scratch.path, rawKey: scratch.key(), options: options)
            try await store.write { connection in
                try connection.execute("CREATE TABLE photo (id INTEGER PRIMARY KEY, data)")
            }
            let (chunk, chunks) = ([UInt8](repeating: 9, count: 32_768), 128)
            let pages = chunk.count * chunks / 4096
            let stream = AsyncStream<[UInt8]> { continuation in
                for _ in 0..<chunks { continuation.yield(chunk) }
                continuation.finish()
            }
            let whileWriting = try await Self.reads(in: scratch) {
                try await store.insertBlob(into: "photo", "data", from: stream) { connection in
                    try connection.execute("INSERT INTO photo (data) VALUES (?)", ZeroBytes(chunk.count * chunks))
                    return connection.lastInsertedRowID
                }
            }
            #expect(whileWriting < 4 * pages)
            var count = 0
            let whileReading = try await Self.reads(in: scratch) {
                let place = BlobPlace(table: "photo", column: "data", row: 1)
                for try await piece in store.chunks(of: place, size: 32_768) {
                    count += piece.count
                }
            }
            #expect(count == chunk.count * chunks)
            #expect(whileReading < 4 * pages)
        }

        @Test(
            "A blob of 64 MiB is written and read within 32 MiB",
            .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/clear_refs"), "not Linux"),
            .disabled(
                if: ProcessInfo.processInfo.environment["ASAN_OPTIONS"] != nil,
                "the address sanitizer keeps memory that was freed"))
        func memory() async throws {
            let result = try await run(
                .path(Programs.path("Worker")), arguments: ["copies", "blob", "-", "\(64 << 20)"],
                output: .string(limit: 1000), error: .string(limit: 10_000))
            #expect(result.terminationStatus == .exited(0), "\(result.standardError)")
            let peaks = result.standardOutput.split(whereSeparator: \.isWhitespace).compactMap {
                Int($0)
            }
            #expect(peaks.count == 2)
            for kibibytes in peaks { #expect(kibibytes < 32 * 1024) }
        }
    }
}
