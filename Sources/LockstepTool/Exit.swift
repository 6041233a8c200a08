import Lockstep

/// The tool's exit codes. Scripts rely on them: codes are only ever added.
enum Exit {
    static let failed: Int32 = 1
    static let pending: Int32 = 3
    static let drift: Int32 = 4
    static let locked: Int32 = 5
    static let wrongKey: Int32 = 6
    static let rolledBack: Int32 = 7
    static let restored: Int32 = 8
    static let lint: Int32 = 9
    // From 64, as in sysexits.h.
    static let usage: Int32 = 64
    static let tampered: Int32 = 65
    static let noInput: Int32 = 66
    static let inputOutput: Int32 = 74

    static func code(for code: LockstepError.Code) -> Int32 {
        switch code {
        case .locked, .busy: locked
        case .wrongKey, .slotNotOpened, .noUsableSlot, .keyringMismatch, .keyUnavailable: wrongKey
        case .migrationFailed, .rowsLost, .foreignKeysBroken, .schemaBroken: rolledBack
        case .migrationChanged, .migrationMissing, .migrationUnfinished: drift
        case .migrationMalformed, .versionGap, .versionDuplicate, .outOfOrder: lint
        case .keyringMalformed, .keyringUnsupported, .keyringTampered, .keyringOutdated, .damaged,
            .truncated,
            .plaintextDatabase,
            .otherProduct, .olderSQLCipher, .emptyDatabase, .tampered, .malformedInput,
            .cellMalformed, .cellForged, .registryForged, .registryMissing, .registryOlder,
            .foreignSchema, .manifestMalformed,
            .foreignApplication, .identityMalformed, .signatureInvalid:
            tampered
        case .notFound, .notAFile: noInput
        case .inputOutput, .full, .replaced, .accessDenied, .permissionsTooOpen: inputOutput
        case .bindMismatch, .misuse, .recipientMalformed, .secretUnsuitable: usage
        default: failed
        }
    }
}
