import ArgumentParser
import Lockstep
import LockstepModels

extension List {
    /// `lockstep list MODEL`
    struct Model<Commands: ModelCommands>: ParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: Commands.name, abstract: Commands.Selection.abstract, discussion: Commands.advice)
        }

        @OptionGroup var selection: Commands.Selection
        @OptionGroup var access: AccessOptions
        @OptionGroup var reading: ReadOnlyOption
        @OptionGroup var output: FormatOptions

        func run() throws {
            try selection.show(
                access.model(Commands.Model.self, readOnly: reading.readOnly), output)
        }
    }
}
