import ArgumentParser
import Lockstep

/// How age plugins are run, in every command that needs one.
struct PluginOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How many seconds an age plugin has for each answer, such as waiting for a touch.",
            discussion:
                "The whole run has five times as long, not counting the time that you type.",
            valueName: "seconds"))
    var pluginTimeout: UInt16 = 60

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Another environment variable to pass to age plugins. Can be repeated.",
            discussion: """
                Without this option, plugins get only AGE… and the variables for the home folder, the terminal, \
                agents, smart cards and TPMs.
                """, valueName: "variable"))
    var pluginEnv: [String] = []

    func validate() throws {
        guard pluginTimeout > 0 else {
            throw ValidationError("--plugin-timeout takes 1 to 65535 seconds")
        }
    }

    /// Finds the plugin's program. Standard error names it before each run.
    func find(_ name: PluginName) throws -> Plugin {
        var plugin = try Plugin.find(name)
        plugin.answerTimeout = .seconds(Int(pluginTimeout))
        plugin.totalTimeout = .seconds(Int(pluginTimeout) * 5)
        plugin.variables = Set(pluginEnv)
        plugin.interaction = .terminal
        return plugin
    }
}

extension PluginInteraction {
    /// Messages go to standard error, and questions to the terminal, if there is one.
    fileprivate static var terminal: PluginInteraction {
        var interaction = PluginInteraction()
        interaction.willRun = { _, program in Output.note("notice: running the plugin \(program)") }
        interaction.message = { name, text in Output.note("plugin \(name): \(text)") }
        interaction.confirm = { name, text, yes, no in
            guard Terminal.isPresent else { return nil }
            return try Terminal.confirm("plugin \(name): \(text)", yes: yes, no: no)
        }
        interaction.requestPublic = { name, text in
            guard Terminal.isPresent else { return nil }
            return try Terminal.line("plugin \(name): \(text)")
        }
        interaction.requestSecret = { name, text in
            guard Terminal.isPresent else { return nil }
            return try Terminal.secret("plugin \(name): \(text)")
        }
        return interaction
    }
}
