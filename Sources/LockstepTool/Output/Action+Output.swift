import Lockstep

extension LockstepError.Action {
    /// What the user types: the one place where the engine's hints get their commands and options.
    var typed: String {
        switch self {
        case .createDatabase, .createKeyring: "`lockstep init`"
        case .adopt: "`lockstep adopt`"
        case .verify: "`lockstep verify`"
        case .verifyFields: "`lockstep verify --fields`"
        case .verifyForPublisher: "`lockstep verify --publisher KEY`"
        case .salvage: "`lockstep salvage`"
        case .salvageForeign: "`lockstep adopt --salvage`"
        case .sourceSettings(let settings): "--source-settings with \(settings)"
        case .leaveOut(let name): "--leave-out \(Self.word(name))"
        case .restore: "`lockstep restore`"
        case .restoreBackup(let path): "`lockstep restore \(path)`"
        case .showStatus: "`lockstep status`"
        case .showLibrary: "`lockstep --version`"
        case .timeLimit, .verificationTimeLimit: "--timeout"
        case .memoryLimit: "--max-memory"

        case .nameKeyring: "name it with --keyring, its folder with --keys"
        case .listKeyrings: "`lockstep keys list`"
        case .rememberKeyring: "`lockstep migrate`"
        case .rememberKeyringAgain, .acceptSealed: "`lockstep keys accept-database`"
        case .firstTime: "`lockstep migrate --first-time`"
        case .rebuildRegistry: "`lockstep keys accept-database --fields`"
        case .recordDatabase: "`lockstep keys accept-database --new`"
        case .nameDatabases: "--database FILE"
        case .giveUpDatabase: "--lost IDENTITY"
        case .rememberSealed: "`lockstep migrate --fields`"
        case .ring: "--ring"
        case .removeSlot: "`lockstep keys remove-slot`"
        case .rotateRing: "`lockstep keys rotate-ring`"
        case .createKey(let kind): "`lockstep keys create-key \(kind)`"
        case .activateKey: "`lockstep keys activate-key`"
        case .rotateDatabase: "`lockstep keys rotate-database`"
        case .fork: "`lockstep keys fork`"
        case .forkOf(let path, let keyring): "`lockstep keys fork \(Self.word(path)) --keyring \(Self.word(keyring))`"
        case .asCompromised: "--compromised"
        case .createKeyFile: "`lockstep keys create-key-file FILE`"
        case .generateIdentity: "`lockstep keys generate-identity FILE`"
        case .exportRecipient: "`lockstep keys export-recipient`"
        case .plugin(let name): "--identity FILE, or --plugin \(name)"
        case .pluginTime: "`--plugin-timeout`"
        case .leaveOutIdentity:
            "leave the identity out, or give --plaintext where the identity opens the keyring"

        case .seal: "`lockstep seal`"
        case .reseal: "`lockstep reseal`"
        case .fieldKeys: "--fields"
        case .fieldKeysOf(let dataset): "--fields \(dataset)"
        case .fieldKeysIn(let dataset): "--fields \(dataset)=FILE"
        case .createFields(let dataset): "`lockstep keys init --dataset \(dataset)`"
        case .keyFile: "a key file (--key-file FILE)"
        case .identity: "an identity (--identity FILE)"
        case .passphrase: "a passphrase (at the prompt, or --passphrase-fd N)"
        case .makeRelease: "`lockstep release make`"
        case .replaceForeignManifest: "--replace-foreign"

        case .migrate: "`lockstep migrate`"
        case .recordVersion: "`lockstep baseline --at VERSION`"
        case .rehearse: "`lockstep rehearse`"
        case .repair: "`lockstep repair`"
        case .renameSet(let former, let name): "`lockstep repair --rename-set \(former)=\(name)`"
        case .nameSet: "pass --set with a name"
        case .nameLayout: "--layout"
        case .layout(let name): "--layout \(name)"
        case .fileLimit: "--max-file"
        case .followLinks: "--follow-links"
        case .declare(let directive, let version): "--declare '\(version): \(directive)'"
        case .recordedDown: "--recorded-down"
        case .abandon(let set, let version):
            "`lockstep migrate --set \(set) --abandon \(version)`"

        case .serverPassword: "--password-file FILE or --password-fd N"
        case .allowUntrusted: "--allow-untrusted-server"
        case .serverPatience: "--wait"
        case .copyToServer: "`lockstep copy --url`"
        }
    }
}

extension LockstepError.Action {
    /// A path as a word of shell.
    private static func word(_ path: String) -> String {
        // It would be taken for an option.
        if path.utf8.first == UInt8(ascii: "-") { return word("./\(path)") }
        let isPlain = path.utf8.allSatisfy { byte in
            let scalar = Unicode.Scalar(byte)
            return scalar.properties.isAlphabetic && scalar.isASCII || ("0"..."9").contains(scalar)
                || "/._-+,:@%".unicodeScalars.contains(scalar)
        }
        guard !isPlain || path.isEmpty else { return path }
        return "'" + path.replacing("'", with: "'\\''") + "'"
    }
}

extension LockstepError.Advice {
    /// The sentence with commands and options.
    var typed: String { text(\.typed) }
}
