import Foundation
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Locked memory for what libraries allocate")
struct LockedArenaTests {
    /// One that can be handed around.
    private final class Arena: @unchecked Sendable {
        private let arena: LockedArena
        private struct Unavailable: Error {}

        init(_ slabs: Int = 64) throws {
            guard let arena = LockedArena(slabs: slabs) else { throw Unavailable() }
            self.arena = arena
        }

        var isLocked: Bool { arena.isLocked }
        func owns(_ block: UnsafeRawPointer) -> Bool { arena.owns(block) }
        func size(of block: UnsafeRawPointer) -> Int { arena.size(of: block) }
        func allocate(_ count: Int) -> UnsafeMutableRawPointer? { arena.allocate(count) }
        func free(_ block: UnsafeMutableRawPointer) { arena.free(block) }
        func lockAgain(_ block: UnsafeMutableRawPointer) { arena.lockAgain(block) }
    }

    private static func fill(_ block: UnsafeMutableRawPointer, _ count: Int, _ byte: UInt8) {
        block.initializeMemory(as: UInt8.self, repeating: byte, count: count)
    }

    private static func holds(
        _ block: UnsafeMutableRawPointer, _ count: Int, _ byte: UInt8
    ) -> Bool {
        UnsafeRawBufferPointer(start: block, count: count).allSatisfy { $0 == byte }
    }

    @Test(
        "Blocks of every size are zero, aligned, as large as requested, and recognised",
        arguments: [1, 31, 32, 33, 64, 67, 99, 128, 216, 500, 1024, 4095, 4096])
    func sizes(_ count: Int) throws {
        let arena = try Arena()
        let block = try #require(arena.allocate(count))
        #expect(arena.owns(block))
        #expect(arena.size(of: block) >= count)
        #expect(UInt(bitPattern: block) % 32 == 0)
        #expect(Self.holds(block, arena.size(of: block), 0))
        Self.fill(block, arena.size(of: block), 0xAB)
        arena.free(block)
        // The block freed last is given out first, without any of its content.
        let again = try #require(arena.allocate(count))
        #expect(again == block)
        #expect(Self.holds(again, arena.size(of: again), 0))
    }

    @Test("Zero bytes, negative sizes and more than a block holds lie elsewhere")
    func borders() throws {
        let arena = try Arena()
        for count in [0, -1, Int.min, LockedArena.largestBlock + 1, Int.max] {
            #expect(arena.allocate(count) == nil)
        }
        var elsewhere: UInt8 = 0
        withUnsafeMutablePointer(to: &elsewhere) { #expect(!arena.owns($0)) }
    }

    @Test("No block overlaps another, whatever is allocated and freed between them") func noOverlap() throws {
        let arena = try Arena(512)
        var random = SplitMix64(state: 20_261_123)
        var blocks: [(block: UnsafeMutableRawPointer, count: Int, byte: UInt8)] = []
        for step in 0..<20_000 {
            if blocks.count < 200 || random.next() % 2 == 0, blocks.count < 600 {
                let count = Int(random.next() % 4096) + 1
                let block = try #require(arena.allocate(count))
                try #require(Self.holds(block, arena.size(of: block), 0), "step \(step)")
                let byte = UInt8(truncatingIfNeeded: step) | 1
                Self.fill(block, arena.size(of: block), byte)
                blocks.append((block, arena.size(of: block), byte))
            } else {
                let (block, count, byte) = blocks.remove(at: Int(random.next() % UInt64(blocks.count)))
                try #require(Self.holds(block, count, byte), "step \(step)")
                arena.free(block)
            }
        }
        for (block, count, byte) in blocks { #expect(Self.holds(block, count, byte)) }
    }

    @Test("If no address is left there is no block, until one is freed")
    func exhausted() throws {
        let arena = try Arena(2)
        var blocks: [UnsafeMutableRawPointer] = []
        while let block = arena.allocate(4096) { blocks.append(block) }
        #expect(blocks.count == 2 * LockedArena.slabLength / 4096)
        #expect(arena.allocate(32) == nil)
        arena.free(try #require(blocks.last))
        #expect(arena.allocate(4096) == blocks.last)
    }

    @Test("Threads that allocate at once get blocks of their own")
    func threads() async throws {
        let arena = try Arena(1024)
        let sound = await withTaskGroup(of: Bool.self) { group in
            for number in 1...4 {
                group.addTask { [arena] in
                    for round in 0..<5_000 {
                        let count = 32 << (round % 6)
                        guard let block = arena.allocate(count) else { return false }
                        Self.fill(block, count, UInt8(number))
                        guard Self.holds(block, count, UInt8(number)) else { return false }
                        arena.free(block)
                    }
                    return true
                }
            }
            return await group.reduce(true) { $0 && $1 }
        }
        #expect(sound)
    }

    @Test(
        "Blocks are locked, excluded from dumps, and between guards",
        .enabled(if: LockableMemory.isThere, "no memory can be locked here, or there is no /proc"))
    func protection() throws {
        let arena = try Arena(1)
        let block = try #require(arena.allocate(64))
        let region = try #require(MemoryRegion.all(of: "self").first { $0.range.contains(UInt(bitPattern: block)) })
        #expect(region.isLocked && region.isUndumped && arena.isLocked)
        // One slab, with inaccessible pages before and after it.
        #expect(region.range.count == LockedArena.slabLength)
        munlock(block, 64)
        arena.lockAgain(block)
        let again = try #require(MemoryRegion.all(of: "self").first { $0.range.contains(UInt(bitPattern: block)) })
        #expect(again.isLocked)
    }
}
