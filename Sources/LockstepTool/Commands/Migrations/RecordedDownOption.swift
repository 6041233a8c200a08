import ArgumentParser
import Lockstep

/// Whether SQL that the database recorded may run.
struct RecordedDownOption: ParsableArguments {
    @Flag(
        help: """
            Undo a version whose file is gone, or is not what was applied, by the text that the database recorded. \
            Anyone with the database's key can have written it: look at it first with `lockstep plan --to VERSION \
            --recorded-down`. Not together with --fields.
            """)
    var recordedDown = false

    var value: RecordedDown { recordedDown ? .allowed : .refused }

    /// Refuses what cannot be, before any passphrase is asked for.
    /// - Parameter leadsBack: Whether what was asked for can lead back.
    func validate(_ fields: FieldsOptions, leadsBack: Bool = true) throws {
        guard recordedDown else { return }
        guard fields.datasets.isEmpty else {
            throw ValidationError(
                "--recorded-down runs what anyone with the database's key can have written, so it runs without "
                    + "field keys: leave --fields away")
        }
        guard leadsBack else {
            throw ValidationError("--recorded-down belongs to a way back: name a version with --to")
        }
    }
}
