#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Selects the environment variables for a plugin. The others may contain secrets, such as those that open `env` slots.
enum PluginEnvironment {
    private static let names: Set<String> = [
        "HOME", "PATH", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "TERM", "LANG", "LANGUAGE",
        "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK",
        "GNUPGHOME", "GPG_TTY", "GPG_AGENT_INFO",
    ]
    private static let beginnings = ["LC_", "XDG_", "PCSC", "PKCS11_", "TPM", "TSS2_", "AGE"]

    /// The process's PATH; empty if it is not set.
    static var path: String {
        guard let value = unsafe getenv("PATH") else { return "" }
        return unsafe String(cString: value)
    }

    // exact: names that the program gives
    static func passes(_ name: some StringProtocol, beside variables: Set<String>) -> Bool {
        names.contains(String(name)) || variables.containsBytes(of: name)
            || beginnings.contains { name.begins(with: $0) }
    }

    /// Passes the plugin's environment entries to `body` in the form for `posix_spawn`. No value is copied.
    static func with<Result>(
        _ variables: Set<String>,  // exact: names that the program gives
        _ body: ([UnsafeMutablePointer<CChar>?]) throws -> Result
    ) rethrows -> Result {
        var entries = unsafe [UnsafeMutablePointer<CChar>?]()
        var next = unsafe environ
        while let entry = unsafe next.pointee {
            let name = unsafe strcspn(entry, "=")
            let bytes = unsafe UnsafeRawBufferPointer(start: entry, count: name)
            if unsafe passes(String(decoding: bytes, as: UTF8.self), beside: variables) {
                unsafe entries.append(entry)
            }
            unsafe next += 1
        }
        unsafe entries.append(nil)
        return unsafe try body(entries)
    }
}
