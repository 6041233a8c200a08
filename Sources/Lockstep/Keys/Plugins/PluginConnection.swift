/// Sends stanzas to a plugin and receives them. Everything received passes through secure memory because one of the
/// stanzas contains a file key.
final class PluginConnection {
    private static let bodyLine = 64

    private let plugin: Plugin
    private let process: PluginProcess
    private var chunk: SecretBytes
    private var filled = 0
    private var used = 0

    /// Announces the program to the user and starts it.
    init(_ plugin: Plugin, _ stateMachine: String) throws {
        try plugin.requireTrusted()
        try plugin.interaction.willRun?(plugin.name, plugin.program)
        chunk = try SecretBytes(zeroed: 1024)
        process = try PluginProcess(plugin, stateMachine)
        self.plugin = plugin
    }

    /// Ends a completed run. Otherwise the program is killed when this object is deallocated.
    func finish() { process.finish() }

    // MARK: Sending

    /// Sends a stanza.
    /// - Parameters:
    ///   - words: Its type and arguments, separated by spaces.
    ///   - secret: A final argument that can be secret.
    func send(
        _ words: String, secret: Span<UInt8> = Span(), body: Span<UInt8> = Span()
    ) throws {
        let head = Array("-> \(words)".utf8)
        let encoded = Base64.length(of: body.count)
        let length =
            head.count + (secret.isEmpty ? 0 : 1 + secret.count) + 1 + encoded
            + encoded / Self.bodyLine + 1
        var text = try SecretBytes(zeroed: length)
        var plain = try SecretBytes(zeroed: encoded)
        var characters = plain.mutableBytes
        _ = Base64.encode(body, into: &characters, at: 0)
        var output = text.mutableBytes
        var next = 0
        func put(_ byte: UInt8, _ output: inout MutableSpan<UInt8>) {
            output[next] = byte
            next += 1
        }
        let lineFeed = UInt8(ascii: "\n")
        for byte in head { put(byte, &output) }
        if !secret.isEmpty { put(UInt8(ascii: " "), &output) }
        for index in secret.indices { put(secret[index], &output) }
        put(lineFeed, &output)
        for index in 0..<encoded {
            put(characters[index], &output)
            if (index + 1).isMultiple(of: Self.bodyLine) { put(lineFeed, &output) }
        }
        put(lineFeed, &output)
        try process.timed { try process.write(text.bytes) }
    }

    // MARK: Receiving

    /// The next stanza that the plugin sends.
    func next() throws -> PluginCommand {
        try process.timed {
            let words = try argumentLine()
            return PluginCommand(type: words[0], arguments: Array(words.dropFirst()), body: try body())
        }
    }

    /// The words of a stanza's first line after its arrow; at least one.
    private func argumentLine() throws -> [String] {
        var line: [UInt8] = []
        while case let byte = try nextByte(), byte != UInt8(ascii: "\n") {
            line.append(byte)
            guard line.count <= PluginStanza.longestHeader else {
                throw malformed(
                    "a line of more than \(PluginStanza.longestHeader) characters")
            }
        }
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.count >= 2, words[0] == "->", words.allSatisfy(PluginStanza.isArgument) else {
            throw malformed("a line that does not begin a stanza")
        }
        return Array(words.dropFirst())
    }

    /// A body, whose last line is shorter than the others.
    private func body() throws -> SecretBytes {
        var bytes = try SecretBytes(zeroed: PluginStanza.longestBody)
        var line = try SecretBytes(zeroed: Self.bodyLine)
        var end = 0
        while true {
            var count = 0
            while case let byte = try nextByte(), byte != UInt8(ascii: "\n") {
                guard count < Self.bodyLine else {
                    throw malformed("a body's line of more than \(Self.bodyLine) characters")
                }
                var characters = line.mutableBytes
                characters[count] = byte
                count += 1
            }
            var output = bytes.mutableBytes
            let decoded = Base64.decode(
                line.bytes.extracting(first: count), into: &output, at: end)
            guard let decoded else {
                throw malformed(
                    "a body that is not canonical base64, or has more than " + "\(PluginStanza.longestBody) bytes")
            }
            end = decoded
            if count < Self.bodyLine { return try bytes.prefix(end) }
        }
    }

    private func nextByte() throws -> UInt8 {
        if used == filled {
            filled = try process.read(into: &chunk)
            used = 0
        }
        used += 1
        return Self.byte(used - 1, of: chunk)
    }

    private static func byte(_ place: Int, of chunk: borrowing SecretBytes) -> UInt8 {
        chunk.bytes[place]
    }

    /// The error for a message that violates the protocol.
    func malformed(_ what: String) -> LockstepError {
        plugin.failed(
            "violates the protocol: it sent \(what)", hint: "check that the program is an age plugin and up to date")
    }
}
