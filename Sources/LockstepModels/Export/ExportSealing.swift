package import Lockstep

/// Sealing what is exported, for recipients.
package enum ExportSealing {
    /// What the names of sealed files end in, as age's own program has them.
    package static let ending = ".age"

    /// Runs `body` with a way to write that seals what goes through it; without recipients it is `write` itself.
    /// - Throws: ``LockstepError/Code/recipientMalformed``; what both throw.
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
