import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

extension Export {
    /// `lockstep export MODEL TARGET`
    struct Model<Commands: ModelCommands>: ParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: Commands.name, abstract: Commands.Target.abstract, discussion: Commands.advice)
        }

        @Argument(help: Commands.Target.argument)
        var target: String

        @OptionGroup var choices: Commands.Target
        @OptionGroup var protection: ExportProtection
        @OptionGroup var access: AccessOptions
        @OptionGroup var reading: ReadOnlyOption
        @OptionGroup var output: FormatOptions

        func run() throws {
            let store = try access.model(
                Commands.Model.self, readOnly: reading.readOnly)
            let count = try choices.write(
                store, to: FilePath(target), sealedFor: protection.keys())
            try protection.show(count, Commands.entries, target, output)
        }
    }
}
