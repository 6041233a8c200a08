import Lockstep
import TestSupport
import Testing

@testable import LockstepModels

/// The store behaves like a dictionary, 10,000 times.
@Suite("Notes against a model")
struct NoteModelTests {
    private struct Entry: Equatable {
        var text: String
        var changed: Int64
    }

    private static let words = ["alpha", "béta", "γάμμα", "delta", "O'Brien", "\"x\"", "👋", "\0", "終"]

    private static func text(_ numbers: inout SplitMix64) -> String {
        guard Int.random(in: 0..<20, using: &numbers) > 0 else {
            return AwkwardTexts.notEmpty.randomElement(using: &numbers) ?? ""
        }
        return (0..<Int.random(in: 0...30, using: &numbers)).map { _ in
            words.randomElement(using: &numbers) ?? ""
        }.joined(separator: " ")
    }

    @Test(
        "Ten thousand random changes, with a kill after every two thousand",
        arguments: [1, Torture.seed])
    func random(seed: UInt64) throws {
        var numbers = SplitMix64(state: seed)
        let scratch = try ModelScratch()
        // Only the process is killed, not the machine, so syncing is unnecessary.
        scratch.options.connection.synchronous = .normal
        var model: [Int64: Entry] = [:]
        // A dictionary's order differs in each run.
        var ids: [Int64] = []
        var time: Int64 = 0
        var notes = NoteStore(try scratch.open(NoteStore.self).store) { 0 }
        for step in 1...10_000 {
            time += Int64.random(in: 0...2, using: &numbers)
            let now = time
            notes = NoteStore(notes.store) { now }
            let some = ids.randomElement(using: &numbers)
            let id = Int.random(in: 0..<5, using: &numbers) > 0 ? some ?? 1 : Int64(step)
            let text = Self.text(&numbers)
            switch Int.random(in: 0..<10, using: &numbers) {
            case 0..<3:
                let made = try notes.create(text)
                #expect((made == nil) == text.isEmpty)
                if let made {
                    #expect(model[made] == nil)
                    model[made] = Entry(text: text, changed: now)
                    ids.append(made)
                }
            case 3..<5:
                guard !text.isEmpty else { continue }
                #expect(try notes.update(id, text) == (model[id] != nil))
                if model[id] != nil { model[id] = Entry(text: text, changed: now) }
            case 5..<8:
                #expect(try notes.delete(id) == (model.removeValue(forKey: id) != nil))
                ids.removeAll { $0 == id }
            case 8:
                #expect(
                    try notes.body(of: id)?.unicodeScalars.elementsEqual(
                        model[id]?.text.unicodeScalars ?? "".unicodeScalars) ?? (model[id] == nil))
            default:
                let word = Self.words.randomElement(using: &numbers) ?? ""
                let found = try notes.search(word, limit: 100_000).map(\.id).sorted()
                if word == "delta" {
                    let expected = model.filter { $0.value.text.contains("delta") }.keys.sorted()
                    #expect(found == expected)
                }
            }
            if step.isMultiple(of: 2000) {
                try scratch.moveToCopy()
                notes = try scratch.open()
                try expect(notes, model)
            }
        }
        try notes.checkSearch()
        try notes.store.blocking.close()
        let report = try scratch.verify("notes")
        #expect(report.isClean, "\(report.outcomes.flatMap(\.findings))")
    }

    private func expect(_ notes: NoteStore, _ model: [Int64: Entry]) throws {
        let order = model.keys.sorted { one, other in
            (model[one]?.changed ?? 0, one) > (model[other]?.changed ?? 0, other)
        }
        let list = try notes.list(limit: 100_000)
        #expect(list.map(\.id) == order)
        #expect(try notes.count() == model.count)
        for title in list {
            let text = model[title.id]?.text ?? ""
            #expect(title.title.utf8.elementsEqual(text.prefix(50).utf8))
            #expect(try notes.body(of: title.id)?.utf8.elementsEqual(text.utf8) == true)
        }
    }
}
