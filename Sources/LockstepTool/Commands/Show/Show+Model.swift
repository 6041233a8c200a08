import ArgumentParser
import Lockstep
import LockstepModels

extension Show {
    /// `lockstep show MODEL ID`
    struct Model<Commands: ModelCommands>: ParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: Commands.name, abstract: "Show \(Commands.shown).", discussion: Commands.advice)
        }

        @Argument(help: "The \(Commands.entry)'s id.")
        var id: Int64

        @OptionGroup var access: AccessOptions
        @OptionGroup var reading: ReadOnlyOption
        @OptionGroup var output: FormatOptions

        func run() throws {
            let store = try access.model(
                Commands.Model.self, readOnly: reading.readOnly)
            guard let fields = try Commands.fields(of: id, in: store) else {
                throw LockstepError(
                    .notFound, "there is no \(Commands.entry) with the id \(id)", hint: "`lockstep list` shows the ids")
            }
            guard output.format == .text else {
                return try Output.json(
                    Dictionary(uniqueKeysWithValues: fields.map { ($0.key, JSONValue(value: $0.value)) }))
            }
            let width = fields.map(\.key.count).max() ?? 0
            for (name, value) in fields {
                let text = Listing.text(value)
                let padding = String(repeating: " ", count: width - name.count)
                Output.line(text.isEmpty ? name : "\(name)\(padding)  \(text)")
            }
        }
    }
}
