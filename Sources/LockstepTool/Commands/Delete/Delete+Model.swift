import ArgumentParser
import Lockstep
import LockstepModels

extension Delete {
    /// `lockstep delete MODEL ID`
    struct Model<Commands: ModelCommands>: ParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: Commands.name, abstract: "Delete a \(Commands.entry).", discussion: Commands.advice)
        }

        @Argument(help: "The \(Commands.entry)'s id.")
        var id: Int64?

        @Option(help: "Delete those with exactly this name instead, where entries have names.") var named: String?

        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func validate() throws {
            guard (id == nil) != (named == nil) else {
                throw ValidationError("name the \(Commands.entry) by its id, or by --named")
            }
        }

        func run() throws {
            let store = try access.session().model(Commands.Model.self, isReading: false)
            let count: Int
            if let named {
                guard let found = try Commands.delete(named: named, from: store) else {
                    throw ValidationError("--named is for entries with names; a \(Commands.entry) has an id")
                }
                count = found
            } else {
                count = try id.map { try Commands.delete($0, from: store) } == true ? 1 : 0
            }
            guard count > 0 else {
                guard let id else {
                    throw LockstepError(
                        .notFound, "there is no \(Commands.entry) with this name",
                        hint: "`lockstep list \(Commands.name)` shows the names")
                }
                throw EntryFields.missing(Commands.entry, id)
            }
            guard output.format == .text else { return try Output.json(["deleted": count]) }
            Output.line("deleted \(Output.amount(count, of: Commands.entries))")
        }
    }
}
