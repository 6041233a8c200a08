public import SystemPackage

/// How a plugin reaches the person who uses the program: the library has no terminal of its own.
///
/// Each text comes from the plugin, may hold any character, and has at most 4096 bytes. Where a closure is nil or
/// returns nil, the plugin is answered that the person cannot be asked; it may go on without. What a closure throws
/// ends the plugin, and is what the caller gets.
public struct PluginInteraction: Sendable {
    /// Is called with the program's absolute path each time before it is started.
    public var willRun: (@Sendable (_ plugin: PluginName, _ program: FilePath) throws -> Void)?
    /// Shows a message, such as a request to touch a device.
    public var message: (@Sendable (_ plugin: PluginName, _ text: String) throws -> Void)?
    /// Asks for a choice between `yes` and `no`; without `no`, for a confirmation. True is for `yes`.
    public var confirm:
        (
            @Sendable (_ plugin: PluginName, _ text: String, _ yes: String, _ no: String?) throws
                -> Bool?
        )?
    /// Asks for something that may be seen, at most 4096 bytes of it.
    public var requestPublic: (@Sendable (_ plugin: PluginName, _ text: String) throws -> String?)?
    /// Asks for a secret, such as a PIN, at most 4096 bytes of it.
    public var requestSecret:
        (@Sendable (_ plugin: PluginName, _ text: String) throws -> SecretBytes?)?

    /// Nobody can be asked or told anything.
    public init() {}
}
