import Lockstep
import Testing

/// The error that `body` is refused with, which must have this code.
@discardableResult
func refused(
    _ code: LockstepError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) -> LockstepError? {
    let error = #expect(throws: LockstepError.self, sourceLocation: sourceLocation) {
        try body()
    }
    if let error { #expect(error.code == code, "\(error)", sourceLocation: sourceLocation) }
    return error
}
