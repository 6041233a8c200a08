import TestSupport

@testable import Lockstep

/// Complete messages of chunked encryption in memory, sealed and read chunk by chunk.
struct ChunkedMessage {
    var key = Array(UInt8(0)..<32)
    var salt = Array(UInt8(100)..<124)
    var context = Array("which column, which row".utf8)

    func begin() throws -> ChunkedEncryption {
        try ChunkedEncryption(key: key.span, salt: salt.span, context: context.span)
    }

    /// Salt, commitment and chunks.
    func seal(_ plaintext: [UInt8]) throws -> [UInt8] {
        var message = try begin()
        let layout = try ChunkedLayout(plaintextLength: plaintext.count)
        var sealed = salt + message.commitment
        for number in 0..<layout.chunkCount {
            var chunk = Array(plaintext[try layout.plaintextRange(ofChunk: number)])
            chunk += [UInt8](repeating: 0, count: AEAD.tagLength)
            try message.seal(&chunk, number, isLast: number == layout.lastChunk)
            sealed += chunk
        }
        return sealed
    }

    /// The result for a reader of a stream.
    struct Reading {
        /// Whether salt and commitment were present and correct.
        var isAccepted = false
        /// The plaintext of the chunks before the first invalid one.
        var plaintext: [UInt8] = []
        /// Whether the stream ended with a valid short chunk.
        var isWhole = false
        /// Whether the chunk at the last position, according to the length, is valid.
        var hasLastChunk = false
    }

    /// The key that opens a stream's chunks; nil if salt and commitment are missing or wrong.
    func opening(_ stream: [UInt8]) throws -> ChunkedEncryption? {
        guard stream.count >= ChunkedLayout.headerLength else { return nil }
        let header = stream.span.extracting(first: ChunkedLayout.headerLength)
        return try ChunkedEncryption.opening(
            key: key.span, salt: header.extracting(first: ChunkedEncryption.saltLength), context: context.span,
            commitment: header.extracting(last: ChunkedEncryption.commitmentLength))
    }

    /// Reads a stream of any bytes; the salt is the stream's.
    func read(_ stream: [UInt8]) throws -> Reading {
        var reading = Reading()
        guard let message = try opening(stream) else { return reading }
        reading.isAccepted = true

        if let layout = ChunkedLayout(encryptedLength: stream.count) {
            let last = try layout.encryptedRange(ofChunk: layout.lastChunk)
            reading.hasLastChunk = try message.open(stream[last], layout.lastChunk, isLast: true) != nil
        }
        var rest = stream[ChunkedLayout.headerLength...]
        var number = 0
        while !reading.isWhole {
            let chunk = rest.prefix(ChunkedLayout.sealedChunkLength)
            let isLast = chunk.count < ChunkedLayout.sealedChunkLength
            guard let plaintext = try message.open(chunk, number, isLast: isLast) else { break }
            reading.plaintext += plaintext
            reading.isWhole = isLast
            rest = rest.dropFirst(chunk.count)
            number += 1
        }
        return reading
    }

    /// The plaintext of a complete stream, or nil.
    func open(_ stream: [UInt8]) throws -> [UInt8]? {
        let reading = try read(stream)
        return reading.isWhole ? reading.plaintext : nil
    }
}

extension ChunkedEncryption {
    /// Seals `chunk`, whose end has room for the tag.
    mutating func seal(_ chunk: inout [UInt8], _ number: Int, isLast: Bool) throws {
        var span = chunk.mutableSpan
        try seal(inPlace: &span, number: number, isLast: isLast)
    }

    /// The plaintext of a chunk of any length; nil if it is invalid, and then all its bytes are wiped.
    func open(_ chunk: ArraySlice<UInt8>, _ number: Int, isLast: Bool) throws -> [UInt8]? {
        var memory = [UInt8](repeating: 0xAA, count: max(chunk.count - AEAD.tagLength, 0))
        var span = memory.mutableSpan
        if try open(Array(chunk).span, number: number, isLast: isLast, into: &span) {
            return memory
        }
        guard memory.allSatisfy({ $0 == 0 }) else { throw PlaintextLeft() }
        return nil
    }

    struct PlaintextLeft: Error {}
}
