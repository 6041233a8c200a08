import ArgumentParser
import Lockstep
import SystemPackage

/// What opens a SQLCipher file of another program, which is only read. It never comes from the command line.
struct SourceOptions: ParsableArguments {
    @Option(
        help:
            "An open file descriptor from which to read the original's passphrase, up to end of file."
    )
    var sourcePassphraseFd: Int32?

    @Option(
        help: ArgumentHelp(
            "A file with the original's raw key: 64 hexadecimal digits, or 96 with its salt, as x'…' or alone.",
            valueName: "file"))
    var sourceKeyFile: String?

    @Option(help: "An open file descriptor from which to read the original's raw key.") var sourceKeyFd: Int32?

    @Option(
        help: ArgumentHelp(
            "The original's settings, as its program sets them: 'kdf_iter = 10000; cipher_page_size = 1024'.",
            valueName: "pragmas"))
    var sourceSettings: String?

    func validate() throws {
        guard secretOptions.count < 2 else {
            throw ValidationError(
                "give only one of \(secretOptions.joined(separator: " and "))")
        }
    }

    private var secretOptions: [String] {
        [
            sourcePassphraseFd.map { _ in "--source-passphrase-fd" }, sourceKeyFile.map { _ in "--source-key-file" },
            sourceKeyFd.map { _ in "--source-key-fd" },
        ].compactMap(\.self)
    }

    /// The option that says that the original is encrypted; nil if there is none.
    var given: String? {
        secretOptions.first ?? sourceSettings.map { _ in "--source-settings" }
    }

    /// The descriptor from which a secret is read, and its option.
    var descriptor: (number: Int32, option: String)? {
        if let sourcePassphraseFd { return (sourcePassphraseFd, "--source-passphrase-fd") }
        return sourceKeyFd.map { ($0, "--source-key-fd") }
    }

    /// The settings, if any are given.
    func settings() throws -> SQLCipherSettings? { try sourceSettings.map(SQLCipherSettings.init) }

    /// The secret from an option, or from a prompt, where SQLCipher's form `x'…'` makes it a raw key.
    func secret(of source: String) throws -> SourceSecret {
        // Before anyone types a secret.
        _ = try settings()
        if let sourcePassphraseFd {
            let secret = try SecretBytes(readingFrom: sourcePassphraseFd)
            guard !RawKey.isRawKey(secret) else {
                throw LockstepError(
                    .secretUnsuitable, "descriptor \(sourcePassphraseFd) has a raw key",
                    hint: "pass a raw key with --source-key-fd or --source-key-file")
            }
            return .passphrase(try Passphrase(withoutLineFeed: secret))
        }
        if let sourceKeyFd { return .rawKey(try RawKey(SecretBytes(readingFrom: sourceKeyFd))) }
        if let sourceKeyFile {
            return .rawKey(try RawKey(KeyFile.secret(FilePath(sourceKeyFile))))
        }
        let secret = try Terminal.secret(
            "Passphrase or raw key (x'…') of \(Output.printable(source))", instead: "--source-passphrase-fd")
        return RawKey.isRawKey(secret) ? .rawKey(try RawKey(secret)) : .passphrase(try Passphrase(secret))
    }
}

/// A secret of another program's file.
enum SourceSecret: ~Copyable {
    /// The file is plaintext.
    case none
    case passphrase(Passphrase)
    case rawKey(RawKey)
}
