/// Reads keyrings again before anything is called old.
///
/// Someone can change a keyring and its database between the moments in which a program reads the one and the other. So
/// a program that finds that they disagree reads the keyring's file again, with the ring key that is known already, and
/// looks once more, up to three times, 50 milliseconds apart.
package struct ReadAgain: Sendable {
    private static let times = 3
    /// What a newer keyring can explain, or another file that has just got the database's name.
    private static let codes: Set<LockstepError.Code> = [
        .keyringOutdated, .unknownDatabase, .tampered, .keyUnavailable, .wrongKey, .replaced,
    ]
    /// Waits between two looks; tests replace it.
    private let pause: @Sendable () -> Void

    package init(pause: @escaping @Sendable () -> Void = { Clock.pause(milliseconds: 50) }) {
        self.pause = pause
    }

    /// - Parameters:
    ///   - reread: Reads the files again, and returns whether any has another version.
    ///   - look: Uses what was read last.
    package func run<Result: ~Copyable>(
        rereading reread: () throws -> Bool, _ look: () throws -> Result
    ) throws -> Result {
        for round in 0..<Self.times {
            do {
                return try look()
            } catch let error as LockstepError where Self.codes.contains(error.code) {
                if round > 0 { pause() }
                let isNew = try isNew(reread)
                guard isNew || [.keyringOutdated, .replaced].contains(error.code) else {
                    throw error
                }
            }
        }
        return try look()
    }

    /// If a file cannot be read again, what was found stands, unless someone has just given it another ring key.
    private func isNew(_ reread: () throws -> Bool) throws -> Bool {
        do {
            return try reread()
        } catch let error as LockstepError where error.code == .keyringChanged {
            throw error
        } catch {
            return false
        }
    }
}

extension KeyringFile {
    /// Opens a database or a store with the keyring's key, and reads the keyring again if it is older than the
    /// database.
    package func readingAgain<Result: ~Copyable>(
        _ keyring: inout Keyring, _ readAgain: ReadAgain = ReadAgain(), _ open: (borrowing Keyring) throws -> Result
    ) throws -> Result {
        try readAgain.run(rereading: { try reread(&keyring) }, { try open(keyring) })
    }
}
