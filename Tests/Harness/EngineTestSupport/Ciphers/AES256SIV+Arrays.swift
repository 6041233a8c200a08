@testable import Lockstep

extension AES256SIV {
    /// The sealed form of `plaintext`, in memory of its own.
    func seal(_ plaintext: Span<UInt8>, associatedData: Span<UInt8>) throws -> [UInt8] {
        var sealed = [UInt8](repeating: 0, count: Self.vectorLength + plaintext.count)
        var message = sealed.mutableSpan
        message.copy(plaintext, to: Self.vectorLength)
        try seal(inPlace: &message, associatedData: associatedData)
        return sealed
    }

    /// The plaintext, in memory of its own; nil if any of the inputs differs.
    func open(_ sealed: Span<UInt8>, associatedData: Span<UInt8>) throws -> [UInt8]? {
        var plaintext = [UInt8](repeating: 0, count: max(sealed.count - Self.vectorLength, 0))
        var output = plaintext.mutableSpan
        let opened = try open(sealed, associatedData: associatedData, into: &output)
        return opened ? plaintext : nil
    }
}
