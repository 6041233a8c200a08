extension LockstepError {
    /// Something that a hint asks its reader to do. ``call`` is how a program does it. How a user of the tool does it
    /// stands in the tool, in `Action+Output.swift`.
    package enum Action: Sendable, Hashable {
        // Databases
        case createDatabase
        case adopt
        case verify
        case verifyFields
        case verifyForPublisher
        case salvage
        case salvageForeign
        case sourceSettings(String)
        case leaveOut(String)
        case restore
        case restoreBackup(String)
        case showStatus
        case showLibrary
        case timeLimit
        case verificationTimeLimit
        case memoryLimit

        // Keyrings
        case createKeyring
        case nameKeyring
        case listKeyrings
        case rememberKeyring
        case rememberKeyringAgain
        case recordDatabase
        case nameDatabases
        case giveUpDatabase
        case rememberSealed
        case acceptSealed
        case firstTime
        case rebuildRegistry
        case removeSlot
        case ring
        case rotateRing
        case createKey(String)
        case activateKey
        case rotateDatabase
        case fork
        case forkOf(String, keyring: String)
        case asCompromised
        case createKeyFile
        case generateIdentity
        case exportRecipient
        case plugin(String)
        case pluginTime
        case leaveOutIdentity

        // Sealed columns and releases
        case seal
        case reseal
        case fieldKeys
        case fieldKeysOf(String)
        case fieldKeysIn(String)
        case createFields(String)
        case keyFile
        case identity
        case passphrase
        case makeRelease
        case replaceForeignManifest

        // Migrations
        case migrate
        case recordVersion
        case rehearse
        case repair
        case renameSet(String, to: String)
        case nameSet
        case nameLayout
        case layout(String)
        case fileLimit
        case followLinks
        case declare(String, at: String)
        case recordedDown
        case abandon(set: String, version: String)

        // Servers
        case serverPassword
        case allowUntrusted
        case serverPatience
        case copyToServer

        /// What a program calls or sets.
        var call: String {
            switch self {
            case .createDatabase: "`Connection.create`"
            case .adopt: "`Adoption`"
            case .verify: "`Verification`"
            case .verifyFields: "`Verification` with `fieldKeys`"
            case .verifyForPublisher: "set `Verification.publisher`"
            case .salvage, .salvageForeign: "`Salvage`"
            case .sourceSettings(let settings): "`SQLCipherSettings` with \(settings)"
            case .leaveOut(let name): "`Adoption.leavesOut` with \(name)"
            case .restore: "`Restore`"
            case .restoreBackup(let path): "restore \(path) with `Restore`"
            case .showStatus: "`Ledger.history`"
            case .showLibrary: "`LoadedLibrary.current`"
            case .timeLimit: "`ConnectionOptions.deadline`"
            case .verificationTimeLimit: "`Verification.deadline`"
            case .memoryLimit: "`MemoryLimit.set`"

            case .createKeyring: "`Keyring.create`"
            case .nameKeyring: "check its path"
            case .listKeyrings: "`KeyringFile.summary`"
            case .rememberKeyring, .rememberKeyringAgain, .recordDatabase: "`Keyring.bind`"
            case .nameDatabases: "`KeyDestruction.databases`"
            case .giveUpDatabase: "`KeyDestruction.lost`"
            case .rememberSealed: "`KeyringFile.remember`"
            case .acceptSealed: "`KeyringFile.accept`"
            case .firstTime: "`firstTime` of the opening"
            case .rebuildRegistry: "`RegistryRebuild`"
            case .removeSlot: "`Keyring.removeSlot`"
            case .ring: "`ring` of the opening"
            case .rotateRing: "`Keyring.rotateRing`"
            case .fieldKeysIn: "as a `KeyringFile`"
            case .createFields: "`Keyring.create` for `fields`"
            case .keyFile: "a key file"
            case .identity: "an identity"
            case .passphrase: "a passphrase"
            case .createKey: "`Keyring.createKey`"
            case .activateKey: "`Keyring.activateKey`"
            case .rotateDatabase: "`DatabaseKeyRotation`"
            case .fork: "`Fork`"
            case .forkOf(let path, _): "`Fork(of: \"\(path)\")`"
            case .asCompromised: "the reason `compromise`"
            case .createKeyFile: "`KeyFile.create`"
            case .generateIdentity: "`Identity.generate`"
            case .exportRecipient: "`Identity.recipient`"
            case .plugin: "with its recipient or identity"
            case .pluginTime: "`Plugin.answerTimeout`"
            case .leaveOutIdentity: "leave the identity out"

            case .seal, .reseal: "`SealingChange`"
            case .fieldKeys: "`ConnectionOptions.fieldKeys`"
            case .fieldKeysOf(let dataset): "the field keys of \(dataset)"
            case .makeRelease: "`Manifest.make`"
            case .replaceForeignManifest: "`replacingForeign`"

            case .migrate: "`Migrator`"
            case .recordVersion: "`Baseline.record`"
            case .rehearse: "`Rehearsal`"
            case .repair: "`Repair`"
            case .renameSet(let former, let name): "`Repair` with `SetRenaming(from: \"\(former)\", to: \"\(name)\")`"
            case .nameSet: "give it a name"
            case .nameLayout: "the argument `layout`"
            case .layout(let name): "the layout \(name)"
            case .fileLimit: "`largestFile`"
            case .followLinks: "`followingLinks: true`"
            case .declare(let directive, let version):
                "`MigrationSet.declaring` (\(version): \(directive))"
            case .recordedDown: "`RecordedDown.allowed`"
            case .abandon: "`UnfinishedMigration.abandon`"

            case .serverPassword: "`ServerCredentials`"
            case .allowUntrusted: "`ServerOptions.allowsUntrusted`"
            case .serverPatience: "`ServerMigrator.timeout`"
            case .copyToServer: "`ServerCopy`"
            }
        }
    }
}
