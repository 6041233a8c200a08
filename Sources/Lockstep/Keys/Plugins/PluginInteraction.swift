public import SystemPackage

/// How a plugin communicates with the user: the library does not use a terminal itself.
///
/// Each text comes from the plugin, can contain any character, and has at most 4096 bytes. If a closure is nil or
/// returns nil, the plugin learns that the user cannot be asked and can continue without an answer. If a closure
/// throws, the plugin is ended and the caller gets the error.
public struct PluginInteraction: Sendable {
    /// Called with the program's absolute path each time before it starts.
    public var willRun: (@Sendable (_ plugin: PluginName, _ program: FilePath) throws -> Void)?
    /// Shows a message, such as a request to touch a device.
    public var message: (@Sendable (_ plugin: PluginName, _ text: String) throws -> Void)?
    /// Asks for a choice between `yes` and `no`; without `no`, for a confirmation. True means `yes`.
    public var confirm:
        (
            @Sendable (_ plugin: PluginName, _ text: String, _ yes: String, _ no: String?) throws
                -> Bool?
        )?
    /// Asks for a public value of at most 4096 bytes.
    public var requestPublic: (@Sendable (_ plugin: PluginName, _ text: String) throws -> String?)?
    /// Asks for a secret of at most 4096 bytes, such as a PIN.
    public var requestSecret: (@Sendable (_ plugin: PluginName, _ text: String) throws -> SecretBytes?)?

    /// No interaction: the user cannot be asked or shown anything.
    public init() {}
}
