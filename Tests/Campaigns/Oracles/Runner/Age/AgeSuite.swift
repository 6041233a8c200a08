import Lockstep

/// age's testkit, against the reader of files for recipients that imports use.
struct AgeSuite {
    /// How a file was read.
    private struct Reading {
        var plaintext: [UInt8] = []
        /// Whether the header was accepted, so that chunks were tried.
        var hasBegun = false
        var error: LockstepError?
    }

    /// Bytes of plaintext in a chunk of age's format.
    private static let chunkLength = 65_536
    /// The count's name for files of which the reader returns a chunk less than the suite's own reader.
    private static let withheld = "payload failure, found before the last chunk is given"

    private let request: Request

    init(_ request: Request) { self.request = request }

    /// Runs the suite, reports, and returns whether everything is correct.
    func run() -> Bool {
        var met: [String: Int] = [:]
        var refused: [AgeVector.Unsupported: Int] = [:]
        var wrong = 0
        let files = request.files { !$0.contains(".") }
        for (number, path) in files.enumerated() {
            do {
                let vector = try AgeVector(request.read(path))
                let isCorrupted = request.corrupted == number + 1
                if let difference = try difference(vector, isCorrupted) {
                    wrong += 1
                    say("\(path): wrong: \(difference)")
                } else if let unsupported = vector.unsupported {
                    refused[unsupported, default: 0] += 1
                } else if try isWithheld(vector) {
                    met[Self.withheld, default: 0] += 1
                } else {
                    met[vector.expectation.rawValue, default: 0] += 1
                }
            } catch {
                wrong += 1
                say("\(path): not understood: \(error)")
            }
        }
        say("age: \(files.count) files")
        for (expectation, count) in met.sorted(by: { $0.key < $1.key }) {
            say("as expected: \(count) × \(expectation)")
        }
        for unsupported in AgeVector.Unsupported.allCases {
            say("refused with an error: \(refused[unsupported] ?? 0) × \(unsupported.rawValue)")
        }
        say("age: \(wrong) wrong")
        return wrong == 0
    }

    /// The defect, or nil.
    private func difference(_ vector: AgeVector, _ isCorrupted: Bool) throws -> String? {
        // A reader gets its bytes in pieces of any size.
        for piece in [1 << 20, 65_537, 100] {
            let reading = try read(vector, piece)
            let expected = isCorrupted ? "corrupted" : vector.payload
            if let difference = difference(reading, vector, expected) { return difference }
        }
        return nil
    }

    private func difference(
        _ reading: Reading, _ vector: AgeVector, _ payload: String?
    ) -> String? {
        if let error = reading.error, error.message.isEmpty { return "an error without a word" }
        if vector.unsupported != nil {
            guard payload != "corrupted", let error = reading.error, reading.plaintext.isEmpty
            else { return "it is read, and not supported" }
            return [.malformedInput, .slotNotOpened, .identityMalformed].contains(error.code)
                ? nil : "it is refused as \(error.code): \(error)"
        }
        let digest = Digests.sha256(reading.plaintext)
        if let payload, digest != payload, payload == "corrupted" || !isWithheld(reading, vector) {
            return "the payload's digest is \(digest), and \(payload) is expected"
        }
        if payload == nil, !reading.plaintext.isEmpty { return "it gives a payload" }
        let outcome = "\(reading.error.map { "\($0.code): \($0.message)" } ?? "success") came"
        let isMet =
            switch vector.expectation {
            case .success: reading.error == nil
            case .noMatch: reading.error?.code == .slotNotOpened
            case .macFailure: reading.error?.code == .tampered && !reading.hasBegun
            case .headerFailure: reading.error?.code == .malformedInput && !reading.hasBegun
            case .armorFailure: reading.error?.code == .malformedInput
            // A file that ends before its nonce fails before the first chunk.
            case .payloadFailure:
                reading.hasBegun ? reading.error?.code == .tampered : reading.error?.code == .malformedInput
            }
        return isMet ? nil : "\(vector.expectation.rawValue) is expected, and \(outcome)"
    }

    /// The suite's own reader accepts a full chunk as an intermediate one, returns it, and then finds that the file
    /// does not continue as it must. Lockstep looks one byte ahead, and returns nothing of such a chunk.
    private func isWithheld(_ reading: Reading, _ vector: AgeVector) -> Bool {
        vector.expectation == .payloadFailure && reading.error?.code == .tampered
            && reading.hasBegun && reading.plaintext.count.isMultiple(of: Self.chunkLength)
    }

    private func isWithheld(_ vector: AgeVector) throws -> Bool {
        let reading = try read(vector, Self.chunkLength)
        return isWithheld(reading, vector) && Digests.sha256(reading.plaintext) != vector.payload
    }

    /// Reads a file with each of its identities until one fits, as the tool does.
    private func read(_ vector: AgeVector, _ piece: Int) throws -> Reading {
        var last = Reading()
        let identities = vector.identities.isEmpty ? [nil] : vector.identities.map(Optional.some)
        for text in identities {
            last = Reading()
            do {
                let identity = try text.map { try Self.identity($0) } ?? Identity.generate()
                try Self.read(vector.file, identity, piece, into: &last)
            } catch let error as LockstepError {
                last.error = error
                if error.code == .slotNotOpened { continue }
            }
            break
        }
        return last
    }

    private static func identity(_ text: String) throws(LockstepError) -> Identity {
        let bytes = Array(text.utf8)
        return try Identity(parsing: SecretBytes(copying: bytes.span))
    }

    private static func read(
        _ file: [UInt8], _ identity: borrowing Identity, _ piece: Int, into reading: inout Reading
    ) throws {
        var rest = file[...]
        func next() -> [UInt8]? {
            guard !rest.isEmpty else { return nil }
            defer { rest = rest.dropFirst(piece) }
            return Array(rest.prefix(piece))
        }
        var decryption = try AgeDecryption("the file", identity, [], next)
        reading.hasBegun = true
        while let plain = try decryption.next(next) { reading.plaintext += plain }
    }
}
