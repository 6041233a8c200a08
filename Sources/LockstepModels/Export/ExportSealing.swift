package import Lockstep
package import SystemPackage

/// Seals exports for recipients.
package enum ExportSealing {
    /// The ending of sealed files' names, the same as that of the program `age`.
    package static let ending = ".age"

    /// Writes a new file, which only its owner can read: all that `body` writes, sealed for the recipients, or nothing.
    /// Without recipients it is plaintext.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if something exists at `path`;
    ///   ``LockstepError/Code/recipientMalformed``; the errors of `body` and of writing.
    package static func write<Result>(
        to path: FilePath, for recipients: [Recipient], _ body: (_ write: ([UInt8]) throws -> Void) throws -> Result
    ) throws -> Result {
        var file = try NewFile(path)
        let result = try seal(for: recipients, { try file.write($0) }, body)
        try file.finish()
        return result
    }

    /// Runs `body` with a function that seals the bytes passed to it and hands them to `write`; without recipients it
    /// is `write` itself.
    /// - Throws: `LockstepError.Code.recipientMalformed`; the errors of both.
    package static func seal<Result>(
        for recipients: [Recipient], _ write: ([UInt8]) throws -> Void,
        _ body: (_ write: ([UInt8]) throws -> Void) throws -> Result
    ) throws -> Result {
        try withoutActuallyEscaping(write) { write in
            guard !recipients.isEmpty else { return try body(write) }
            var encryption = try AgeEncryption(for: recipients, write)
            let result = try body { bytes in try encryption.add(bytes, write) }
            try encryption.finish(write)
            return result
        }
    }
}
