package import SystemPackage

// The rings that an identity has opened
// =====================================
//
// A recipient is public. Anyone who knows it can make a keyring, and a database under it, that open for its identity,
// and put them in the place of others: what is written there is then readable for its maker. A keyring opened by an
// identity is therefore remembered beside the identity's file, where the writer of another folder cannot change it, as
// a line of text:
//
//     <identity file>.rings, mode 0600
//
//     lockstep-rings 1
//     ring-<32 hexadecimal digits> <the keyring's path, absolute, percent-encoded>
//
// The lines are in the byte order of the paths. The first keyring at a path is believed; another ring there is refused
// from then on, until somebody names the new one.

/// The rings that an identity has opened, and where.
package struct KnownRings: Sendable {
    /// The file.
    package let path: FilePath
    private static let header = "lockstep-rings 1"
    private static let largestFile = 1 << 20

    /// Those of the identity in a file.
    package init(of identity: FilePath) { path = FilePath(identity.string + ".rings") }

    /// Remembers a keyring that the identity has opened.
    /// - Parameter isNamed: Whether somebody has named this ring, so that it may replace another one.
    /// - Returns: Whether the ring was never seen.
    /// - Throws: ``LockstepError/Code/otherRing`` if another ring was seen at the keyring's path;
    ///   ``LockstepError/Code/malformedInput`` for a file that is none; ``LockstepError/Code/permissionsTooOpen``; any
    ///   error of writing it.
    @discardableResult
    package func meet(_ keyring: borrowing Keyring, isNamed: Bool = false) throws -> Bool {
        guard let file = keyring.file?.path else { return false }
        if let known = try read()[file] {
            if known == keyring.ring { return false }
            guard isNamed else { throw other(keyring.ring, known, at: file) }
        }
        return try remember(keyring.ring, at: file)
    }

    /// Remembers the ring that a keyring has got from this process.
    package func replace(_ keyring: borrowing Keyring) throws {
        guard let file = keyring.file?.path, try read()[file] != nil else { return }
        _ = try remember(keyring.ring, at: file)
    }

    private func remember(_ ring: RingID, at file: FilePath) throws -> Bool {
        let lock = try FileLockWait.current.lock(AtomicFile.hiddenSibling("lock", of: path), as: .keyring)
        defer { _ = lock }
        var known = try read()
        let isNew = !known.values.contains(ring)
        known[file] = ring
        let lines = known.map { (PercentEncodedPath.encode($0), $1) }.sorted { ExactText($0.0) < ExactText($1.0) }
        let text = ([Self.header] + lines.map { "\($1) \($0)" }).joined(separator: "\n") + "\n"
        try AtomicFile.write(Array(text.utf8), to: path)
        return isNew
    }

    private func read() throws -> [FilePath: RingID] {
        guard FileAccess.exists(path) else { return [:] }
        let bytes = try FileAccess.read(path, limit: Self.largestFile, .secret)
        guard let text = String(validating: bytes, as: UTF8.self) else { throw malformed }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 1, lines[0].hasSameBytes(as: Self.header), lines[lines.count - 1].isEmpty else {
            throw malformed
        }
        var known: [FilePath: RingID] = [:]
        for line in lines[1..<(lines.count - 1)] {
            let parts = line.split(separator: " ", omittingEmptySubsequences: false)
            guard parts.count == 2, let ring = RingID(parts[0]), let file = PercentEncodedPath.decode(parts[1]),
                known.updateValue(ring, forKey: file) == nil
            else { throw malformed }
        }
        return known
    }

    // MARK: Errors

    private func other(_ ring: RingID, _ known: RingID, at file: FilePath) -> LockstepError {
        LockstepError(
            .otherRing, "\(file) has \(ring), and \(path) remembers \(known) there",
            advice: """
                somebody made another keyring in its place, which anybody can who knows the recipient: put the right \
                one back; if its ring key was replaced, or you made another database there, name the new ring once \
                with \(.ring)
                """, context: .file(file))
    }

    private var malformed: LockstepError {
        LockstepError(
            .malformedInput, "\(path) is no list of rings",
            hint: "move it away: the next opening makes a new one, and believes the keyrings that it finds",
            context: .file(path))
    }
}
