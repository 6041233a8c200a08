import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

extension Import {
    /// `lockstep import MODEL SOURCE`
    struct Model<Commands: ModelCommands>: ParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: Commands.name, abstract: Commands.Source.abstract, discussion: Commands.Source.discussion)
        }

        @Argument(help: Commands.Source.argument)
        var source: String

        @OptionGroup var choices: Commands.Source
        @OptionGroup var options: ImportOptions

        func run() throws {
            let limits = try options.access.limitOptions.begin()
            try limits.naming {
                let store = try options.access.session().model(Commands.Model.self, limits, isReading: false)
                let report = try choices.read(FilePath(source), into: store, options.identity())
                try ImportResult.show(report, of: source, Commands.entries, unit: Commands.Source.unit, options.output)
            }
        }
    }
}
