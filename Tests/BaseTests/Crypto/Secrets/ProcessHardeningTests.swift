#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct ProcessHardeningTests {
    @Test("a hardened process leaves no core files")
    func coreFiles() async {
        // In a separate process, because the other tests would lose theirs.
        await #expect(processExitsWith: .success) {
            #expect(ProcessHardening.apply())
            let limits = try String(contentsOfFile: "/proc/self/limits", encoding: .utf8)
            let line = limits.split(separator: "\n").first { $0.hasPrefix("Max core file") }
            let fields = try #require(line).split(separator: " ")
            #expect(fields.dropFirst(4).prefix(2) == ["0", "0"])
        }
    }

    @Test("if little memory can be locked, key files and passphrases are still read") func littleLockedMemory() async {
        // 64 KiB is what a container, or a Linux before 5.16, grants.
        await #expect(processExitsWith: .success) {
            var limit = rlimit(rlim_cur: 65_536, rlim_max: 65_536)
            let set = setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit)
            try #require(set == 0)
            // An error that leaves this closure would end the process without a message.
            do {
                let folder = try TemporaryFolder()
                let path = folder.file("some.key")
                try KeyFile.create(path)
                var ring = try Keyring.create(.database)
                try ring.addSlot("file", KeyFile.read(path))
                try ring.addSlot("me", Rings.passphrase("a passphrase"), cost: Rings.cheap)
                let opened = try Keyring.open(try ring.encode(epoch: 1)) { _ in
                    try KeyFile.read(path)
                }
                #expect(try opened.activeDatabaseKey().secret.count == 32)
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test("the secure heap runs out with an error, and recovers")
    func exhaustedHeap() async {
        await #expect(processExitsWith: .success) {
            func fill(_ depth: Int) throws -> Int {
                guard depth < 600 else { return depth }
                let held = try SecretBytes(zeroed: 1024)
                defer { withExtendedLifetime(held) {} }
                return try fill(depth + 1)
            }
            do {
                _ = try fill(0)
                Issue.record("600 KiB fitted into the secure heap")
            } catch let error as LockstepError {
                #expect(error.code == .secureMemoryExhausted)
            }
            #expect(try fill(590) == 600)
        }
    }
}
#endif
