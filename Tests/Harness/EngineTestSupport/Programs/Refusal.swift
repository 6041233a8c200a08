import Testing

@testable import Lockstep

/// Expectations of errors with a given code.
enum Refusal {
    /// - Parameter context: What the error must be about; nil for anything.
    static func expect(
        _ code: LockstepError.Code, about context: LockstepError.Context? = nil,
        sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) {
        do {
            try body()
            Issue.record("nothing was refused; \(code) was due", sourceLocation: sourceLocation)
        } catch let error as LockstepError {
            #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
            guard let context else { return }
            #expect(error.context == context, "\(error)", sourceLocation: sourceLocation)
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
    }

    /// The error that `body` is refused with, which must have a given code.
    static func error(
        _ code: LockstepError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) -> LockstepError? {
        let error = #expect(throws: LockstepError.self, sourceLocation: sourceLocation) {
            try body()
        }
        #expect(error?.code == code, sourceLocation: sourceLocation)
        return error
    }

    /// The code that `body` is refused with; nil if it is not refused at all.
    static func code(_ body: () throws -> Void) throws -> LockstepError.Code? {
        do {
            try body()
            return nil
        } catch let error as LockstepError {
            return error.code
        }
    }
}
