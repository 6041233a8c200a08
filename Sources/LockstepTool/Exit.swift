import ArgumentParser
import Lockstep
import LockstepPostgres

/// The tool's exit codes. Scripts rely on them: codes are only ever added.
enum Exit: Int32, CaseIterable {
    case done = 0
    case failed = 1
    case pending = 3
    case drift = 4
    case locked = 5
    case wrongKey = 6
    case rolledBack = 7
    case restored = 8
    case lint = 9
    // From 64, as in sysexits.h.
    case usage = 64
    case tampered = 65
    case noInput = 66
    case inputOutput = 74
    case unreachable = 75

    /// What it means, as `lockstep --help` and the article TheTool say it.
    var meaning: String {
        switch self {
        case .done: "done"
        case .failed: "failed"
        case .pending: "migrations are pending"
        case .drift: "drift, or applied files changed"
        case .locked: "locked by another process"
        case .wrongKey: "wrong key"
        case .rolledBack: "the migration failed and was rolled back"
        case .restored: "--safe: restored from the backup"
        case .lint: "the migration folder is invalid, or lint found an error"
        case .usage: "usage"
        case .tampered: "damaged or tampered data, or not a Lockstep database"
        case .noInput: "input not found"
        case .inputOutput: "I/O error"
        case .unreachable: "the server cannot be reached; try again"
        }
    }

    /// All codes with their meanings, for a line of help.
    static let help = allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: "; ")

    /// The exit code of an error; ``failed`` for codes that are not listed here.
    static func code(for code: LockstepError.Code) -> Exit {
        switch code {
        case .locked, .busy, .keyringChanged: .locked
        case .wrongKey, .otherSettings, .slotNotOpened, .noUsableSlot, .keyringMismatch,
            .keyUnavailable:
            .wrongKey
        case .migrationFailed, .rowsLost, .valuesLost, .foreignKeysBroken, .schemaBroken:
            .rolledBack
        case .migrationChanged, .migrationMissing, .migrationUnfinished: .drift
        case .migrationMalformed, .versionGap, .versionDuplicate, .outOfOrder: .lint
        case .keyringMalformed, .keyringUnsupported, .keyringTampered, .keyringOutdated, .damaged,
            .truncated,
            .plaintextDatabase,
            .otherProduct, .olderSQLCipher, .emptyDatabase, .tampered, .unknownDatabase,
            .exchanged, .twoFiles, .databaseOutdated, .otherRing,
            .malformedInput,
            .cellMalformed, .cellForged, .registryForged, .registryMissing, .registryOlder,
            .foreignSchema, .manifestMalformed,
            .foreignApplication, .identityMalformed, .signatureInvalid:
            .tampered
        case .notFound, .notAFile, .keyringMissing, .databaseMissing: .noInput
        case .inputOutput, .full, .replaced, .accessDenied, .permissionsTooOpen: .inputOutput
        case .bindMismatch, .misuse, .recipientMalformed, .secretUnsuitable: .usage
        default: server(code)
        }
    }

    private static func server(_ code: LockstepError.Code) -> Exit {
        switch code {
        case .serverUnreachable, .commitUnknown: .unreachable
        case .loginRefused: .wrongKey
        case .serverUntrusted, .copyDiffers: .tampered
        default: .failed
        }
    }
}

extension ExitCode {
    init(_ exit: Exit) { self.init(exit.rawValue) }
}
