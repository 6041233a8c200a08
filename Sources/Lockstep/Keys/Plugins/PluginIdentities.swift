/// Identities of one age plugin, `AGE-PLUGIN-NAME-1…`. What they hold is the plugin's affair, and may be a secret.
public struct PluginIdentities: ~Copyable, Sendable {
    /// How many are handed to a plugin at once.
    static let maximum = 16
    /// Longer than any that is known; identities with wrapped keys have some 1000 characters.
    static let longest = 4096

    /// The plugin that they belong to.
    public let plugin: PluginName
    private let text: SecretBytes
    private let places: [Range<Int>]

    init(_ plugin: PluginName, _ text: consuming SecretBytes, _ places: [Range<Int>]) {
        self.plugin = plugin
        self.text = text
        self.places = places
    }

    /// The identity without data, for plugins that need none to find their key: what `age -j NAME` uses.
    /// - Throws: ``LockstepError/Code/secureMemoryExhausted``.
    public init(withoutData plugin: PluginName) throws(LockstepError) {
        var text = try Bech32.encode(Span(), prefix: Self.prefix(plugin.description))
        var bytes = text.mutableBytes
        for index in 0..<bytes.count
        where (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[index]) {
            bytes[index] &= 0xDF
        }
        let end = text.count
        self.init(plugin, text, [0..<end])
    }

    /// How many there are.
    var count: Int { places.count }

    /// The identity of this number, as it is spelled.
    subscript(index: Int) -> Span<UInt8> {
        @_lifetime(borrow self)
        get { text.bytes.extracting(places[index]) }
    }

    /// Bech32's prefix of a plugin's identities, in lower case.
    static func prefix(_ name: some StringProtocol) -> String { "age-plugin-\(name)-" }
}
