import Testing

@Suite("The samples in the documents")
struct SamplesTests {
    @Test("Each is a short piece of code that a test compiles", arguments: Samples.documents)
    func areCopied(document: String) throws {
        let shown = try Samples.shown(in: document)
        let copies = try Samples.copies(from: document)
        for sample in shown {
            #expect(
                copies.map(Samples.essence).contains(Samples.essence(sample)),
                "no test has this sample of \(document):\n\(sample)")
            #expect(sample.split(separator: "\n").count < 40)
        }
        for copy in copies {
            #expect(
                shown.map(Samples.essence).contains(Samples.essence(copy)),
                "\(document) does not have this sample of a test:\n\(copy)")
        }
    }

    @Test("There are documents with samples")
    func present() throws {
        let counts = try Samples.documents.map { try Samples.shown(in: $0).count }
        #expect(counts.filter { $0 > 0 }.count >= 10)
    }

    @Test("A copy can differ in white space, imports and paths, and in nothing else") func differences() {
        let sample = Samples.essence("import Lockstep\nlet store = try Store.open(\"a.db\")")
        #expect(sample == "letstore=tryStore.open(\"a.db\")")
        #expect(sample == Samples.essence("let store =\n  try Store.open(folder.file(\"a.db\"))"))
        #expect(sample != Samples.essence("let store = try Store.open(folder.file(\"b.db\"))"))
        #expect(sample != Samples.essence("let store = try Store.make(\"a.db\")"))
    }
}
