import Lockstep
import TestSupport
import Testing

@testable import LockstepModels

/// The store behaves like a dictionary, 10,000 times.
@Suite("Photos against a model")
struct PhotoModelTests {
    private struct Entry: Equatable {
        var name: String
        /// The length of its content, and the seed.
        let count: Int
        let salt: UInt64

        var bytes: [UInt8] { PhotoBytes.jpeg(count, salt: salt) }
    }

    @Test(
        "Ten thousand random changes, with a kill after every two thousand",
        arguments: [1, Torture.seed])
    func random(seed: UInt64) throws {
        var numbers = SplitMix64(state: seed)
        let scratch = try ModelScratch()
        // Only the process is killed, not the machine, so syncing is unnecessary.
        scratch.options.connection.synchronous = .normal
        let files = try TemporaryFolder()
        let lengths = [12, 100, 999, 1000, 1001, 3500]
        for count in lengths {
            for salt in 0..<3 {
                try files.write(
                    "\(count)-\(salt)", PhotoBytes.jpeg(count, salt: UInt64(salt)))
            }
        }
        var model: [Int64: Entry] = [:]
        func open() throws -> PhotoStore {
            PhotoStore(try scratch.open(PhotoStore.self).store, partLength: 1000)
        }
        var photos = try open()
        for step in 1...10_000 {
            let some = model.keys.sorted().randomElement(using: &numbers)
            let id = Int.random(in: 0..<5, using: &numbers) > 0 ? some ?? 1 : Int64(step)
            let name = AwkwardTexts.all.randomElement(using: &numbers) ?? ""
            let entry = Entry(
                name: name, count: lengths.randomElement(using: &numbers) ?? 12,
                salt: UInt64.random(in: 0..<3, using: &numbers))
            switch Int.random(in: 0..<10, using: &numbers) {
            case 0..<4:
                let file = files.file("\(entry.count)-\(entry.salt)")
                let rules = PhotoRules(refusesKnownContent: Int.random(in: 0..<8, using: &numbers) == 0)
                let isKnown = model.values.contains {
                    $0.count == entry.count && ($0.salt == entry.salt || entry.count <= 4)
                }
                if rules.refusesKnownContent, isKnown {
                    #expect(throws: LockstepError.self) {
                        try photos.insert(name, from: file, rules: rules)
                    }
                } else {
                    let made = try photos.insert(name, from: file, rules: rules)
                    #expect(made == (model.keys.max() ?? 0) + 1)
                    model[made] = entry
                }
            case 4..<8:
                #expect(try photos.delete(id) == (model.removeValue(forKey: id) != nil))
            case 8:
                #expect(try photos.rename(id, name) == (model[id] != nil))
                model[id]?.name = name
            default:
                guard let known = model[id] else { continue }
                let start = Int.random(in: 0...known.count, using: &numbers)
                let range = start..<Int.random(in: start...known.count, using: &numbers)
                #expect(try photos.bytes(of: id, in: range) == Array(known.bytes[range]))
            }
            if step.isMultiple(of: 2000) {
                try scratch.moveToCopy()
                photos = try open()
                try expect(photos, model)
            }
        }
        try photos.store.blocking.close()
        let report = try scratch.verify("photos")
        #expect(report.isClean, "\(report.outcomes.flatMap(\.findings))")
    }

    private func expect(_ photos: PhotoStore, _ model: [Int64: Entry]) throws {
        let all = try photos.all()
        #expect(all.map(\.id) == model.keys.sorted())
        for photo in all {
            let entry = try #require(model[photo.id])
            #expect(photo.name.utf8.elementsEqual(entry.name.utf8))
            #expect(try photos.bytes(of: photo.id, in: 0..<photo.byteCount) == entry.bytes)
        }
        let parts = try photos.store.blocking.read { connection in
            try connection.value("SELECT count(*) FROM photo_part", as: Int.self)
        }
        let expected = model.values.filter { $0.count > 1000 }.map { ($0.count + 999) / 1000 }
        #expect(parts == expected.reduce(0, +))
    }
}
