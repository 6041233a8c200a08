import ArgumentParser
import LockstepModels

/// `lockstep list`: lists the entries of a model store.
struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the entries of a model store.",
        subcommands: Models.all.map { $0.listCommand })
}

/// `lockstep list MODEL`
struct ListModel<Commands: ModelCommands>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Commands.Model.setName, abstract: Commands.Selection.abstract,
            discussion: Commands.advice)
    }

    @OptionGroup var selection: Commands.Selection
    @OptionGroup var access: AccessOptions
    @OptionGroup var output: FormatOptions

    func run() throws { try selection.show(access.model(Commands.Model.self), output) }
}
