internal import Synchronization

extension Parallel {
    /// The results of `transform` for all items, in order.
    ///
    /// A small number of items is processed on the caller's thread.
    /// - Parameter share: The minimum number of items for each thread.
    /// - Throws: The error of the first item that fails; later items may not have been tried.
    static func map<Item: Sendable, Output: Sendable, Failure: Error>(
        _ items: [Item], share: Int, _ transform: @escaping @Sendable (Item) throws(Failure) -> Output
    ) throws(Failure) -> [Output] {
        let share = max(share, 1)
        let threads = min(Processors.count, items.count / share)
        guard threads > 1 else { return try all(items[...], transform) }
        // Pieces are smaller than shares, so that a thread that starts late does not delay the others.
        let length = max(share / 4, 1)
        let pieces = stride(from: 0, to: items.count, by: length).map {
            items[$0...].prefix(length)
        }
        let results = PieceResults<[Output], Failure>()
        // The results also contain the error. Rethrowing it stops the work on later pieces.
        try? run(pieces: pieces.count, with: Array(repeating: (), count: threads)) { piece, _ in
            let result = Result { () throws(Failure) in try all(pieces[piece], transform) }
            results.byPiece.withLock { $0[piece] = result }
            _ = try result.get()
        }
        let known = results.byPiece.withLock { $0 }
        var outputs: [Output] = []
        outputs.reserveCapacity(items.count)
        // Pieces are begun in order, so all pieces before the first failed one have results.
        for (piece, items) in pieces.enumerated() {
            if let result = known[piece] {
                outputs += try result.get()
            } else {
                outputs += try all(items, transform)
            }
        }
        return outputs
    }

    private static func all<Item, Output, Failure: Error>(
        _ items: ArraySlice<Item>, _ transform: (Item) throws(Failure) -> Output
    ) throws(Failure) -> [Output] {
        var outputs: [Output] = []
        outputs.reserveCapacity(items.count)
        for item in items { outputs.append(try transform(item)) }
        return outputs
    }
}

private final class PieceResults<Output: Sendable, Failure: Error>: Sendable {
    let byPiece = Mutex<[Int: Result<Output, Failure>]>([:])
}
