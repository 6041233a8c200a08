/// Cleans up after `error`, and returns the error to throw. That is always the first one, because it says what went
/// wrong; a clean-up that fails as well is mentioned at the end of its message. An error of the program, whose text is
/// not ours, stays as it is.
/// - Parameter isBestEffort: Whether a failure of the clean-up does no harm and is not mentioned.
func cleaningUp<Failure: Error>(
    after error: Failure, isBestEffort: Bool = false, _ cleanUp: () throws -> Void
) -> Failure {
    do {
        try cleanUp()
        return error
    } catch let failure {
        guard !isBestEffort, let first = error as? LockstepError else { return error }
        let second = failure as? LockstepError
        let both = LockstepError(
            first.code, "\(first.message); cleaning up failed as well: \(second?.message ?? "\(type(of: failure))")",
            advice: first.advice ?? second?.advice, context: first.context)
        return both as? Failure ?? error
    }
}

/// Runs `body`, then `cleanUp`, which also runs if `body` throws.
func running<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result, finally cleanUp: () throws(Failure) -> Void
) throws(Failure) -> Result {
    let result: Result
    do throws(Failure) {
        result = try body()
    } catch {
        throw cleaningUp(after: error, cleanUp)
    }
    try cleanUp()
    return result
}
