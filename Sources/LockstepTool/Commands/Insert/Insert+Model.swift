import ArgumentParser
import Lockstep
import LockstepModels

extension Insert {
    /// `lockstep insert MODEL FIELD=VALUE…`
    struct Model<Commands: ModelCommands>: ParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: Commands.name, abstract: "Insert a \(Commands.entry).",
                discussion: EntryFieldOptions.discussion(Commands.self))
        }

        @OptionGroup var given: EntryFieldOptions
        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func run() throws {
            let fields = try given.fields(of: Commands.self)
            let store = try access.session().model(Commands.Model.self, isReading: false)
            let id = try Commands.insert(fields, into: store)
            guard output.format == .text else { return try Output.json(["id": id]) }
            Output.line("inserted the \(Commands.entry) \(id)")
        }
    }
}
