internal import SystemPackage

extension KeyringFile {
    /// Moves a keyring's file to another place, where it opens the same databases.
    ///
    /// The new file is complete before the old one is removed. If the move is interrupted, both can be there; the same
    /// move again ends it. A program that has opened the keyring at the old place can go on reading its database, but
    /// cannot change the keyring any more.
    /// - Parameters:
    ///   - keyring: The opened keyring, which is then that of `target`.
    ///   - target: The new place. Its folder is made if it does not exist.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if another keyring is there; ``LockstepError/Code/locked`` if a
    ///   job or another program uses either place for longer than ``FileLockWait`` allows; any error of reading and
    ///   writing, after which the keyring is still at the old place.
    public func move(_ keyring: inout Keyring, to target: KeyringFile) throws {
        // A job would save the keyring where it found it.
        let use = try UseLock(path, .exclusive)
        defer { _ = use }
        try AtomicFile.createFolder(target.folder)
        let lock = try lock()
        defer { _ = lock }
        let other = try target.lock()
        defer { _ = other }
        var current = try newest(keyring)
        if try !target.has(atLeast: current) {
            try AtomicFile.removeLeftovers(of: target.path)
            if try current.relocate(from: self, to: target) {
                let epoch = current.epoch + 1
                try AtomicFile.write(current.encode(epoch: epoch), to: target.path)
                current.wasWritten(epoch: epoch, nil)
            } else {
                // The text as it is, with its signature.
                try AtomicFile.write(read(), to: target.path)
            }
        }
        AtomicFile.remove(path)
        try AtomicFile.syncFolder(of: path)
        keyring = try target.newest(current)
    }

    /// Whether the file has this version of the keyring or a newer one, from a move that was interrupted.
    private func has(atLeast keyring: borrowing Keyring) throws -> Bool {
        guard exists else { return false }
        let document = try KeyringParser.parse(read()).document
        guard document.ringID == keyring.writtenRingID else {
            throw LockstepError.system(.fileExists, "create", path)
        }
        return document.epoch >= keyring.epoch
    }
}

extension Keyring {
    /// Spells the paths of the databases as they are recorded in a keyring at another place.
    /// - Returns: Whether any is spelled in another way.
    fileprivate mutating func relocate(
        from source: KeyringFile, to target: KeyringFile
    ) throws -> Bool {
        var isChanged = false
        for index in document.files.indices {
            guard let place = try source.place(of: document.files[index]) else { continue }
            let spelling = try target.spelling(of: place)
            isChanged = isChanged || spelling != document.files[index].path
            document.files[index].path = spelling
        }
        return isChanged
    }
}
