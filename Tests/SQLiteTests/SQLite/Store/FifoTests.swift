import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The queue of waiting calls.
@Suite("Fifo")
struct FifoTests {
    private func drain(_ fifo: inout Fifo<Int>) -> [Int] {
        var elements: [Int] = []
        while let element = fifo.popFirst() { elements.append(element) }
        return elements
    }

    @Test("First in, first out, in any order of operations")
    func order() {
        var fifo = Fifo<Int>()
        var expected = 0
        for number in 0..<2000 {
            fifo.append(number)
            if number % 3 == 2 {
                #expect(fifo.first == expected)
                #expect(fifo.popFirst() == expected)
                expected += 1
            }
        }
        #expect(drain(&fifo) == Array(expected..<2000))
        #expect(fifo.first == nil && fifo.popFirst() == nil)
        fifo.append(7)
        #expect(fifo.first == 7 && drain(&fifo) == [7])
    }

    @Test(
        "An element can leave the queue from any position, whatever has left before",
        arguments: [0, 1, 40, 90])
    func leaving(gone: Int) {
        for leaver in [gone, 95, 99] {
            var fifo = Fifo<Int>()
            for number in 0..<100 { fifo.append(number) }
            for _ in 0..<gone { _ = fifo.popFirst() }
            #expect(fifo.removeFirst { $0 == leaver })
            #expect(!fifo.removeFirst { $0 == leaver })
            #expect(drain(&fifo) == (gone..<100).filter { $0 != leaver })
        }
    }

    @Test("An absent element cannot leave")
    func absent() {
        var fifo = Fifo<Int>()
        #expect(!fifo.removeFirst { _ in true })
        fifo.append(1)
        _ = fifo.popFirst()
        #expect(!fifo.removeFirst { _ in true })
    }

    @Test("Of equal elements the first leaves")
    func equals() {
        var fifo = Fifo<Int>()
        for number in [1, 2, 1, 3] { fifo.append(number) }
        #expect(fifo.removeFirst { $0 == 1 })
        #expect(drain(&fifo) == [2, 1, 3])
    }

    /// An object whose deallocation is observable.
    private final class Token: Sendable {}

    @Test("An element that leaves is released at once")
    func release() {
        var fifo = Fifo<Token>()
        weak var token: Token?
        do {
            let strong = Token()
            token = strong
            fifo.append(strong)
        }
        #expect(token != nil)
        _ = fifo.popFirst()
        #expect(token == nil)
    }
}
