import ArgumentParser
import Lockstep

/// Whether SQL recorded in the database may run.
struct RecordedDownOption: ParsableArguments {
    @Flag(
        help: """
            Undo a version whose file is gone, or is not the one that was applied, with the way down recorded in the \
            database. Anyone with the database's key can write that SQL: review it first with `lockstep plan --to \
            VERSION --recorded-down`. Cannot be combined with --fields.
            """)
    var recordedDown = false

    var value: RecordedDown { recordedDown ? .allowed : .refused }

    /// Refuses invalid combinations before any passphrase prompt.
    /// - Parameter leadsBack: Whether the command can migrate down.
    func validate(_ fields: FieldsOptions, leadsBack: Bool = true) throws {
        guard recordedDown else { return }
        guard fields.datasets.isEmpty else {
            throw ValidationError(
                "--recorded-down runs SQL that anyone with the database's key can write, so it runs without "
                    + "field keys: omit --fields, and unset LOCKSTEP_FIELDS")
        }
        guard leadsBack else {
            throw ValidationError("--recorded-down is for migrating down: name a version with --to")
        }
    }
}
