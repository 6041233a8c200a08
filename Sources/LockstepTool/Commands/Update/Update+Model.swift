import ArgumentParser
import Lockstep
import LockstepModels

extension Update {
    /// `lockstep update MODEL ID FIELD=VALUE…`
    struct Model<Commands: ModelCommands>: ParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: Commands.name, abstract: "Change a \(Commands.entry): the given fields, and no others.",
                discussion: EntryFieldOptions.discussion(Commands.self))
        }

        @Argument(help: "The \(Commands.entry)'s id.")
        var id: Int64

        @OptionGroup var given: EntryFieldOptions
        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func run() throws {
            let fields = try given.fields(of: Commands.self)
            let store = try access.session().model(Commands.Model.self, isReading: false)
            guard try Commands.update(id, fields, in: store) else {
                throw EntryFields.missing(Commands.entry, id)
            }
            guard output.format == .text else { return try Output.json(["id": id]) }
            Output.line("changed the \(Commands.entry) \(id)")
        }
    }
}
