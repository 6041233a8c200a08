public import SystemPackage

/// A program that seals and opens slots with age's plugin protocol (C2SP, age-plugin.md), so that a YubiKey, a TPM or a
/// Secure Enclave can open a keyring.
///
/// The caller decides which plugin runs. A keyring names the plugin that made a slot, but never starts it: otherwise
/// anyone who can write the file could start programs. The program is `age-plugin-NAME` in the first absolute folder of
/// PATH that contains it. It receives file keys, so it is refused if anyone but root and this user owns it or a folder
/// on the way to it, or can write to them; a symbolic link is judged where it lies and where it leads.
///
/// It runs without a shell, in the folder `/`, in its own process group, with only the descriptors 0, 1 and 2 and with
/// few environment variables: those that programs use to find their home, language, agents, smart cards and TPMs,
/// those that begin with `AGE`, and ``variables``. It shares this program's standard error. Since it does not belong to
/// the terminal's foreground, it cannot read the terminal and asks the user through ``interaction``. If it prints more
/// than 256 KiB on standard output or exceeds a time limit, it is killed together with its group.
public struct Plugin: Sendable {
    static let fileKeyLength = 16

    /// Its name.
    public let name: PluginName
    /// The program's absolute path.
    public let program: FilePath
    /// How it communicates with the user. Without this, plugins that need a touch or a PIN usually fail.
    public var interaction = PluginInteraction()
    /// The time limit for its next command, and so for the user to touch a device.
    public var answerTimeout: Duration = .seconds(60)
    /// The time limit for the whole run. The time in which the user answers its questions does not count.
    public var totalTimeout: Duration = .seconds(300)
    /// Environment variables that it gets in addition to the usual ones, such as those of a key-management service.
    public var variables: Set<String> = []  // exact: names that the program gives

    /// Finds a plugin's program.
    /// - Parameters:
    ///   - name: The plugin's name: the program is `age-plugin-` and this.
    ///   - path: The folders, separated by colons, as in PATH; the process's own PATH if nil. Empty and relative
    ///     folders are skipped, so that nothing in the current folder is ever run.
    /// - Throws: ``LockstepError/Code/commandFailed`` if no folder contains the program;
    ///   ``LockstepError/Code/permissionsTooOpen`` if others can write to the first one that does, or replace it.
    public static func find(
        _ name: PluginName, in path: String? = nil
    ) throws(LockstepError) -> Plugin {
        for folder in (path ?? PluginEnvironment.path).pieces(between: ":")
        where folder.begins(with: "/") && !folder.utf8.contains(0) {
            let program = FilePath(String(folder)).appending(name.program)
            guard PluginProcess.canRun(program) else { continue }
            let plugin = Plugin(name: name, program: program)
            try plugin.requireTrusted()
            return plugin
        }
        throw LockstepError(
            .commandFailed,
            "the plugin \(name) is not installed: no absolute folder of PATH contains the program " + "\(name.program)",
            hint: "install it, or add the absolute path of its folder to PATH")
    }

    private init(name: PluginName, program: FilePath) {
        self.name = name
        self.program = program
    }

    /// Checked when it is found, for the error to come before any question, and again each time before it runs.
    func requireTrusted() throws(LockstepError) {
        try FileAccess.requireTrusted(program: program, "the plugin \(name) (\(program))")
    }

    func failed(_ what: String, hint: LockstepError.Advice) -> LockstepError {
        LockstepError(.commandFailed, "the plugin \(name) (\(program)) \(what)", advice: hint)
    }
}
