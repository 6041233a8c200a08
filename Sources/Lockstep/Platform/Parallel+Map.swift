extension Parallel {
    /// What `transform` makes of each item, in their order.
    ///
    /// Few items are not worth a thread: they are done on the caller's.
    /// - Parameter share: How many items a thread is worth.
    /// - Throws: What the first item that fails throws; later ones may not have been tried then.
    static func map<Item: Sendable, Output: Sendable, Failure: Error>(
        _ items: [Item], share: Int,
        _ transform: @escaping @Sendable (Item) throws(Failure) -> Output
    ) throws(Failure) -> [Output] {
        let threads = min(Processors.count, items.count / max(share, 1))
        guard threads > 1 else {
            var outputs: [Output] = []
            outputs.reserveCapacity(items.count)
            for item in items { outputs.append(try transform(item)) }
            return outputs
        }
        // Pieces smaller than shares: a thread that begins late must not be waited for.
        let length = max(share / 4, 1)
        let starts = Array(stride(from: 0, to: items.count, by: length))
        let results = PieceResults<[Output], Failure>(count: starts.count)
        try? run(pieces: starts.count, with: Array(repeating: (), count: threads)) { piece, _ in
            var outputs: [Output] = []
            do throws(Failure) {
                for item in items[starts[piece]...].prefix(length) {
                    outputs.append(try transform(item))
                }
            } catch {
                results.set(piece, .failure(error))
                throw error
            }
            results.set(piece, .success(outputs))
        }
        return try results.all().flatMap { $0 }
    }
}

/// What became of each piece.
// Sendable by this proof: the results are touched only while the condition's lock is held.
private final class PieceResults<Output: Sendable, Failure: Error>: @unchecked Sendable {
    private let lock = Condition()
    private var results: [Result<Output, Failure>?]

    init(count: Int) { results = Array(repeating: nil, count: count) }

    func set(_ piece: Int, _ result: Result<Output, Failure>) {
        lock.locked { results[piece] = result }
    }

    /// In the order of the pieces, up to the first that failed: none before it is left out, since they are
    /// begun in order.
    func all() throws(Failure) -> [Output] {
        var outputs: [Output] = []
        for result in lock.locked({ results }) {
            guard let result else { break }
            outputs.append(try result.get())
        }
        return outputs
    }
}
