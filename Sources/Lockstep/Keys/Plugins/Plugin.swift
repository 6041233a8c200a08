public import SystemPackage

/// A program that seals and opens slots by age's plugin protocol (C2SP, age-plugin.md): how a YubiKey, a TPM or a
/// Secure Enclave opens a keyring.
///
/// Which plugin is run is the caller's to say. A keyring names the plugin that made a slot, and never starts it:
/// anyone who can write the file could start programs otherwise. The program is `age-plugin-NAME` in the first
/// absolute folder of PATH that has it.
///
/// It is run without a shell, in the folder `/`, in a process group of its own, with the descriptors 0, 1 and 2 alone
/// and with few environment variables: those by which programs find their home, language, agents, smart cards and
/// TPMs, those that begin with `AGE`, and ``variables``. Its standard error is this program's. Since it does not belong to
/// the terminal's foreground, it asks people through ``interaction`` and cannot read the terminal itself. Whatever
/// it prints on standard output beyond 256 KiB, or slower than the time limits, ends it together with its group.
public struct Plugin: Sendable {
    static let fileKeyLength = 16

    /// Its name.
    public let name: PluginName
    /// The program's absolute path.
    public let program: FilePath
    /// How it reaches people. Without any, plugins that need a touch or a PIN mostly fail.
    public var interaction = PluginInteraction()
    /// How long it may take to send its next command, which is how long a person has to touch a device.
    public var answerTimeout: Duration = .seconds(60)
    /// How long it may take in all. The time in which a person answers its questions does not count.
    public var totalTimeout: Duration = .seconds(300)
    /// Environment variables that it is given beside the usual ones, such as those of a key-management service.
    public var variables: Set<String> = []

    /// Finds a plugin's program.
    /// - Parameter path: The folders, parted by colons, as in PATH; the process's own PATH if nil. Empty and relative
    ///   ones are passed over, so that nothing in the current folder is ever run.
    /// - Throws: ``LockstepError/Code/commandFailed`` if no folder has the program.
    public static func find(
        _ name: PluginName, in path: String? = nil
    ) throws(LockstepError) -> Plugin {
        for folder in (path ?? PluginEnvironment.path).split(separator: ":")
        where folder.hasPrefix("/") && !folder.utf8.contains(0) {
            let program = FilePath(String(folder)).appending(name.program)
            if PluginProcess.canRun(program) { return Plugin(name: name, program: program) }
        }
        throw LockstepError(
            .commandFailed,
            "the plugin \(name) is not installed: no absolute folder of PATH has the program \(name.program)",
            hint: "install it, or add the folder that it lies in to PATH by its absolute path")
    }

    private init(name: PluginName, program: FilePath) {
        self.name = name
        self.program = program
    }

    func failed(_ what: String, hint: String) -> LockstepError {
        LockstepError(.commandFailed, "the plugin \(name) (\(program)) \(what)", hint: hint)
    }
}
