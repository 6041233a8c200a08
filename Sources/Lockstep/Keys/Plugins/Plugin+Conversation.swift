/// The second phase of both state machines: the plugin sends commands and waits for each answer.
extension Plugin {
    /// Answers commands until the plugin is done.
    /// - Parameter own: Handles a command of one state machine and returns whether it recognized it.
    /// - Returns: The errors that the plugin reported.
    func converse(
        _ connection: PluginConnection, _ own: (borrowing PluginCommand) throws -> Bool
    ) throws -> [String] {
        var reports: [String] = []
        while true {
            let command = try connection.next()
            switch command.type {
            case "done": return reports
            case "error":
                reports.append(command.text)
                try connection.send("ok")
            case "msg": try show(command, connection)
            case "confirm": try confirm(command, connection)
            case "request-public": try requestPublic(command, connection)
            case "request-secret": try requestSecret(command, connection)
            default: try connection.send(try own(command) ? "ok" : "unsupported")
            }
        }
    }

    /// The error for a plugin that reported errors and gave no result.
    func reported(_ reports: [String]) -> LockstepError {
        let text = reports.map { $0.isEmpty ? "an error without text" : $0 }
            .joined(separator: "; ")
        return failed("reports: \(text.prefix(400))", hint: "the report comes from the plugin; see its documentation")
    }

    private func show(_ command: borrowing PluginCommand, _ connection: PluginConnection) throws {
        guard let message = interaction.message else { return try connection.send("fail") }
        try message(name, command.text)
        try connection.send("ok")
    }

    private func confirm(
        _ command: borrowing PluginCommand, _ connection: PluginConnection
    ) throws {
        let options = command.arguments.compactMap { Base64.decode($0) }
        guard (1...2).contains(command.arguments.count), options.count == command.arguments.count
        else { throw connection.malformed("a question without one or two text options") }
        let texts = options.map { String(decoding: $0, as: UTF8.self) }
        let answer = try interaction.confirm?(name, command.text, texts[0], texts.count == 2 ? texts[1] : nil)
        try connection.send(answer.map { $0 ? "ok yes" : "ok no" } ?? "fail")
    }

    private func requestPublic(
        _ command: borrowing PluginCommand, _ connection: PluginConnection
    ) throws {
        guard let answer = try interaction.requestPublic?(name, command.text),
            answer.utf8.count <= PluginStanza.longestBody
        else { return try connection.send("fail") }
        try connection.send("ok", body: Array(answer.utf8).span)
    }

    private func requestSecret(
        _ command: borrowing PluginCommand, _ connection: PluginConnection
    ) throws {
        guard let request = interaction.requestSecret else { return try connection.send("fail") }
        let answer = try request(name, command.text)
        if let answer, answer.count <= PluginStanza.longestBody {
            try connection.send("ok", body: answer.bytes)
        } else {
            try connection.send("fail")
        }
    }
}
