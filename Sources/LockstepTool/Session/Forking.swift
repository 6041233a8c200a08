import Lockstep
import SystemPackage

/// Makes a copy a database of its own before a command changes it, so that the work cannot harm the database that it is
/// a copy of.
enum Forking {
    /// Does it and says so in one line, beside the command's own output.
    static func run(
        _ copy: FilePath, _ keyring: inout Keyring, in file: KeyringFile
    ) throws {
        Output.note(line(try Lockstep.Fork(of: copy, keyring: file).run(&keyring), copy))
    }

    /// Does nothing for any other file, and for one that does not open: the command says why.
    static func runIfCopy(
        _ path: FilePath, _ keyring: inout Keyring, in file: KeyringFile
    ) throws {
        var reading = ConnectionOptions()
        reading.isQueryOnly = true
        reading.damagedLog = .refuse
        let isDue: Bool
        do {
            isDue = try Connection.open(
                path, key: keyring.databaseKey(for: path), options: reading
            ).isCopy
        } catch is LockstepError {
            return
        }
        if isDue { try run(path, &keyring, in: file) }
    }

    /// What became of a copy.
    static func line(_ report: Lockstep.Fork.Report, _ copy: FilePath) -> String {
        let of = report.original?.lastComponent.map { " of \($0.string)" } ?? ""
        let what =
            report.isRenewed
            ? "it is the database that was there, with other content" : "it is now a database of its own"
        return "\(copy) is a copy\(of): \(what)"
    }
}
