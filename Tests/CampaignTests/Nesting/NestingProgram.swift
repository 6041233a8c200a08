import TestSupport

@testable import EngineTestSupport

/// A call of a store, and the calls that are made inside of it.
struct NestingCall: Sendable {
    enum Kind: CaseIterable {
        case read, write, withoutTransaction, migrate, chunks, insertBlob, backup, observe, close
        /// A read whose closure cancels the task that it runs in.
        case cancellation
    }

    /// The task that makes the call.
    enum Form: CaseIterable {
        /// The one that made the outer call.
        case here
        /// A child of it.
        case child
        /// One that inherits nothing from it.
        case detached
    }

    let kind: Kind
    let form: Form
    /// Whether it blocks the thread, where that is possible.
    let blocks: Bool
    let store: Int
    let inner: [NestingCall]
}

/// Tasks that call stores, inside of calls of stores: the same for the same seed.
struct NestingProgram: Sendable {
    struct Place: Sendable {
        let isInMemory: Bool
        let readers: Int
        let streams: Int
    }

    let seed: UInt64
    let stores: [Place]
    let tasks: [[NestingCall]]

    /// - Parameter largest: The most stores that it has.
    init(seed: UInt64, stores largest: Int = 2) {
        var random = SplitMix64(state: seed)
        self.seed = seed
        stores = (0..<Int.random(in: 1...largest, using: &random)).map { _ in
            Place(
                isInMemory: Bool.random(using: &random), readers: Int.random(in: 1...4, using: &random),
                streams: Bool.random(using: &random) ? 64 : Int.random(in: 1...3, using: &random))
        }
        let count = stores.count
        tasks = (0..<Int.random(in: 1...16, using: &random)).map { _ in
            [Self.call(stores: count, depth: 0, inside: nil, &random)]
        }
    }

    /// - Parameter outer: The innermost of the calls around it that holds a connection which others wait for. A task
    ///   that inherits nothing from it could wait for it, and no store can know that.
    private static func call(
        stores: Int, depth: Int, inside outer: NestingCall.Kind?, _ random: inout SplitMix64
    ) -> NestingCall {
        let kind = Self.kind(depth, &random)
        let form: NestingCall.Form =
            switch Int.random(in: 0..<8, using: &random) {
            case 0: .child
            case 1 where outer == nil: .detached
            default: .here
            }
        let holds = kind != .chunks && kind != .observe
        let most = depth == 0 ? 2 : depth == 3 ? 0 : 1
        let inner = (0..<Int.random(in: 0...most, using: &random)).map { _ in
            call(stores: stores, depth: depth + 1, inside: holds ? kind : outer, &random)
        }
        return NestingCall(
            kind: kind, form: form, blocks: Bool.random(using: &random),
            store: Int.random(in: 0..<stores, using: &random), inner: inner)
    }

    private static func kind(_ depth: Int, _ random: inout SplitMix64) -> NestingCall.Kind {
        switch Int.random(in: 0..<40, using: &random) {
        case 0: .close
        case 1: .cancellation
        case 2: .backup
        case 3..<5: .migrate
        case 5..<9: .observe
        case 9..<12: .withoutTransaction
        case 12..<17: .insertBlob
        case 17..<24: .write
        case 24..<31: .read
        default: .chunks
        }
    }
}
