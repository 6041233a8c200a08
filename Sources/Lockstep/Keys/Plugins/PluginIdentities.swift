/// Identities of one age plugin, `AGE-PLUGIN-NAME-1…`. The plugin defines their content, which may be secret.
public struct PluginIdentities: ~Copyable, Sendable {
    /// The maximum number that a plugin gets at once.
    static let maximum = 16
    /// Longer than any known identity; those with wrapped keys have about 1000 characters.
    static let longest = 4096

    /// The plugin of these identities.
    public let plugin: PluginName
    private let text: SecretBytes
    private let places: [Range<Int>]

    init(_ plugin: PluginName, _ text: consuming SecretBytes, _ places: [Range<Int>]) {
        self.plugin = plugin
        self.text = text
        self.places = places
    }

    /// An identity without data, for plugins that find their key without it, as `age -j NAME` uses.
    /// - Throws: ``LockstepError/Code/secureMemoryExhausted``.
    public init(withoutData plugin: PluginName) throws(LockstepError) {
        var text = try Bech32.encode(Span(), prefix: Self.prefix(plugin.description))
        var bytes = text.mutableBytes
        for index in 0..<bytes.count
        where bytes[index].isASCIILowercase {
            bytes[index] &= 0xDF
        }
        let end = text.count
        self.init(plugin, text, [0..<end])
    }

    /// The number of identities.
    var count: Int { places.count }

    /// The text of the identity at this index.
    subscript(index: Int) -> Span<UInt8> {
        @_lifetime(borrow self)
        get { text.bytes.extracting(places[index]) }
    }

    /// The Bech32 prefix of a plugin's identities, in lower case.
    static func prefix(_ name: some StringProtocol) -> String { "age-plugin-\(name)-" }
}
