package import Lockstep

/// Seals exports for recipients.
package enum ExportSealing {
    /// The ending of sealed files' names, the same as that of the program `age`.
    package static let ending = ".age"

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
