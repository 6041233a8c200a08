/// The states that a registry has had before the present one.
///
/// The present state's MAC covers them, and the database keeps the MACs of the last ones. So a reader who remembers one
/// state knows whether the present one came from it: the registry of a fork that was changed since did not, however many
/// changes it has.
struct RegistryLine: Sendable, Hashable {
    /// How many MACs are kept.
    static let longest = 65_536
    static let codeLength = 32
    /// What stands for the older states of a registry that was made again: nobody knows them.
    private static let lost = [UInt8](repeating: 0, count: codeLength)

    /// The MACs of the last states before the present one, the newest last.
    private(set) var codes: [UInt8] = []
    /// What stands for all states before those, 32 bytes; nil if there are none.
    private(set) var folded: [UInt8]?

    /// What a state that somebody remembers is to the present one.
    enum Place: Equatable {
        /// It came before.
        case before
        /// It can have come before; its MAC is not kept any more.
        case folded
        /// It is of another line.
        case elsewhere
    }

    /// That of a registry before its first change.
    init() {}

    /// That of a registry of which only the number of changes is known.
    init(lostBefore changes: UInt64) {
        if changes > 1 { folded = Self.lost }
    }

    /// What a database says; nil for what cannot be.
    /// - Parameter changes: Those of the present state.
    init?(_ codes: [UInt8], folded: [UInt8]?, of changes: UInt64) {
        let (count, rest) = codes.count.quotientAndRemainder(dividingBy: Self.codeLength)
        guard rest == 0, count <= Self.longest, changes > 0, folded.map({ $0.count == Self.codeLength }) ?? true,
            folded == nil ? UInt64(count) == changes - 1 : UInt64(count) < changes - 1
        else { return nil }
        (self.codes, self.folded) = (codes, folded)
    }

    /// Adds the state that was the present one until now.
    mutating func append(_ code: [UInt8]) throws(LockstepError) {
        codes += code
        guard codes.count > Self.longest * Self.codeLength else { return }
        var message = AuthenticatedMessage("line/1")
        message.addOptional(folded)
        message.add(Array(codes.prefix(Self.codeLength)))
        folded = try message.digest()
        codes.removeFirst(Self.codeLength)
    }

    /// - Parameters:
    ///   - code: The MAC of a state.
    ///   - changes: How many changes it had.
    ///   - present: How many the present state has.
    func place(of code: [UInt8], _ changes: UInt64, before present: UInt64) -> Place {
        guard changes > 0, changes < present else { return .elsewhere }
        let count = UInt64(codes.count / Self.codeLength)
        guard present - changes <= count else { return folded == nil ? .elsewhere : .folded }
        let start = Int(count - (present - changes)) * Self.codeLength
        return codes[start..<(start + Self.codeLength)].elementsEqual(code) ? .before : .elsewhere
    }
}
