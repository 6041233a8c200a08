@testable import Lockstep

/// Files for recipients, read in one piece and in small ones: both must give the same result.
final class AgeTarget: FuzzTarget {
    static let name = "age"
    static let refusals: Set<LockstepError.Code> = [.malformedInput, .slotNotOpened, .tampered]
    private let identity: Identity

    init() throws {
        identity = try Identity(spelled: Array(FuzzKeys.identity.utf8).span)
    }

    static func seeds() throws -> [String: [UInt8]] {
        let own = try Identity(spelled: Array(FuzzKeys.identity.utf8).span).recipient
        let other = try Identity.generate().recipient
        let text = Array("Casablanca\tRomance\t1942\t\t\n".utf8)
        return [
            "text": try sealed(text, [own]), "empty": try sealed([], [own]),
            "two": try sealed(text, [other, own]), "other": try sealed(text, [other]),
        ]
    }

    private static func sealed(_ bytes: [UInt8], _ recipients: [Recipient]) throws -> [UInt8] {
        var file: [UInt8] = []
        var encryption = try AgeEncryption(for: recipients) { file += $0 }
        try encryption.add(bytes) { file += $0 }
        try encryption.finish { file += $0 }
        return file
    }

    private func opened(_ file: [UInt8], piece: Int) throws -> [UInt8] {
        var rest = file[...]
        func next() -> [UInt8]? {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(piece) }
            return Array(rest.prefix(piece))
        }
        var decryption = try AgeDecryption("the file", identity, [], next)
        var bytes: [UInt8] = []
        while let plain = try decryption.next(next) { bytes += plain }
        return bytes
    }

    func run(_ input: [UInt8]) throws {
        let whole = outcome(Self.refusals) { try opened(input, piece: max(input.count, 1)) }
        let pieces = outcome(Self.refusals) { try opened(input, piece: 7) }
        require(whole == pieces, "pieces change the outcome: \(whole) and \(pieces)")
        guard case .success(let bytes) = whole else { return }
        let again = try opened(Self.sealed(bytes, [identity.recipient]), piece: 1000)
        require(again == bytes, "what was sealed opens as something else")
    }
}
