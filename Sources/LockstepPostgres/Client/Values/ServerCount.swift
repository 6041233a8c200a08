/// A count, a size or a place as a server says it: never negative, and never so large that sums of them overflow.
struct ServerCount: ServerDecodable {
    let value: Int

    /// Nil for a number that is none.
    init?(serverText: String) {
        guard let number = Int64(serverText), (0...Self.most).contains(number) else { return nil }
        value = Int(number)
    }

    /// More than any server can hold.
    private static let most: Int64 = 1 << 52
}
