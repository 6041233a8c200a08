import ForkedCall
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct ForkMarkTests {
    @Test("A child has another mark than its parent, which keeps its own; so does a child's child") func children() {
        let own = ForkMark.current
        #expect(own != 0)
        let child = lockstep_ask_child { ForkMark.current }
        let grandchild = lockstep_ask_child {
            _ = ForkMark.current
            return lockstep_ask_child { ForkMark.current }
        }
        // A child that asks for the first time only after another fork.
        let late = lockstep_ask_child { lockstep_ask_child { ForkMark.current } }
        for mark in [child, grandchild, late] { #expect(mark != own && mark != 0 && mark != .max) }
        #expect(child != grandchild)
        #expect(ForkMark.current == own)
    }
}
