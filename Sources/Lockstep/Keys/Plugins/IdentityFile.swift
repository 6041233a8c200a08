public import SystemPackage

/// A file with identities: an age X25519 key, `AGE-SECRET-KEY-1…`, plugin identities, `AGE-PLUGIN-NAME-1…`, or both,
/// one per line.
public struct IdentityFile: ~Copyable, Sendable {
    // Plugins that wrap keys in their identities write about 1000 characters for each.
    private static let largestFile = 8191

    private let text: SecretBytes
    private let key: Range<Int>?
    private let foreign: [(plugin: PluginName, place: Range<Int>)]

    /// Reads a file. Empty lines and lines that begin with `#` are ignored.
    /// - Throws: ``LockstepError/Code/identityMalformed`` for a line that is neither kind of identity, for more than
    ///   one X25519 key or more than 16 plugin identities, and for a file without identities;
    ///   ``LockstepError/Code/permissionsTooOpen`` if others can read the file; ``LockstepError/Code/tooLarge`` if
    ///   it has more than 8191 bytes.
    public static func read(_ path: FilePath) throws -> IdentityFile {
        let file = try FileAccess.open(path, .secret)
        defer { try? file.close() }
        let text = try SecretBytes(readingFrom: file, path, limit: largestFile)
        do {
            return try IdentityFile(parsing: text)
        } catch {
            throw error.located(in: path)
        }
    }

    /// Reads the text of a file.
    /// - Throws: ``LockstepError/Code/identityMalformed`` as in ``read(_:)``.
    public init(parsing text: consuming SecretBytes) throws(LockstepError) {
        var keys: [Range<Int>] = []
        var foreign: [(plugin: PluginName, place: Range<Int>)] = []
        for line in Identity.keyLines(of: text) {
            if let name = Self.plugin(of: text.bytes.extracting(line)) {
                guard
                    try Bech32.decode(
                        text.bytes.extracting(line), prefix: PluginIdentities.prefix(name.description),
                        longest: PluginIdentities.longest) != nil
                else { throw Identity.malformed("an identity of the plugin \(name) is damaged") }
                foreign.append((name, line))
            } else {
                keys.append(line)
            }
        }
        guard keys.count <= 1, foreign.count <= PluginIdentities.maximum, !(keys.isEmpty && foreign.isEmpty) else {
            throw Identity.malformed(
                "it contains \(counted(keys.count, "key")) and \(foreign.count) of plugins; "
                    + "expected at most one key and \(PluginIdentities.maximum) of plugins, and at "
                    + "least one in all")
        }
        if let key = keys.first { _ = try Identity(spelled: text.bytes.extracting(key)) }
        self.text = text
        key = keys.first
        self.foreign = foreign
    }

    /// The X25519 key, if there is one.
    /// - Throws: ``LockstepError/Code/secureMemoryExhausted``.
    public borrowing func identity() throws(LockstepError) -> Identity? {
        guard let key else { return nil }
        return try Identity(spelled: text.bytes.extracting(key))
    }

    /// The identities of one plugin; nil if there are none.
    /// - Throws: ``LockstepError/Code/secureMemoryExhausted``.
    public borrowing func identities(
        of plugin: PluginName
    ) throws(LockstepError) -> PluginIdentities? {
        let places = foreign.filter { $0.plugin == plugin }.map(\.place)
        guard !places.isEmpty else { return nil }
        return PluginIdentities(plugin, try text.clone(), places)
    }

    /// The plugins whose identities the file contains.
    public var plugins: Set<PluginName> { Set(foreign.map(\.plugin)) }

    /// The plugin of a line such as `AGE-PLUGIN-NAME-1…`, which is in upper case.
    private static func plugin(of line: Span<UInt8>) -> PluginName? {
        let beginning = Array("AGE-PLUGIN-".utf8)
        guard line.count > beginning.count, beginning.indices.allSatisfy({ line[$0] == beginning[$0] }),
            let separator = line.indices.last(where: { line[$0] == UInt8(ascii: "1") }),
            separator > beginning.count, line[separator - 1] == UInt8(ascii: "-")
        else { return nil }
        var name: [UInt8] = []
        for index in beginning.count..<(separator - 1) { name.append(line[index]) }
        let text = String(decoding: name, as: UTF8.self)
        // Bech32 does not mix cases, so the name is in upper case here.
        return name.contains(where: \.isASCIILowercase) ? nil : PluginName(exactly: text.asciiLowercased)
    }
}
