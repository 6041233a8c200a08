import ArgumentParser
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import LockstepTool

/// `lockstep keys add-slot` is the type `Keys.AddSlot` in `Commands/Keys/Keys+AddSlot.swift`: the words as typed.
@Suite("Commands and their files")
struct CommandFilesTests {
    /// A command of the tool.
    private struct Command {
        /// The words as typed, in CamelCase. A command that stands for each model store is called `Model`.
        let words: [String]
        let type: any ParsableCommand.Type

        var file: String { words.joined(separator: "+") + ".swift" }
        /// Whether it is a group or a command of one.
        var isGrouped: Bool { words.count > 1 || !type.configuration.subcommands.isEmpty }
    }

    private static let commands = LockstepCommand.configuration.subcommands.flatMap {
        commands($0, after: [])
    }

    private static func commands(
        _ type: any ParsableCommand.Type, after words: [String]
    ) -> [Command] {
        let typed = type._commandName.split(separator: "-").map(\.capitalized).joined()
        let word = "\(type)".hasPrefix("Model<") ? "Model" : typed
        let command = Command(words: words + [word], type: type)
        return [command] + type.configuration.subcommands.flatMap { commands($0, after: command.words) }
    }

    /// The files that declare commands, below the folder of commands.
    private static func files() throws -> [String] {
        let folder = Programs.package.appending("Sources/LockstepTool/Commands")
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.string)
        return try files.filter { file in
            guard file.hasSuffix(".swift") else { return false }
            let text = String(
                decoding: try Bytes.read(folder.appending(file)), as: UTF8.self)
            let count = text.matches(of: /: ParsableCommand\b/).count
            #expect(count <= 1, "\(file) declares \(count) commands: give each a file")
            return count == 1
        }
    }

    @Test("Each command has a file of its name, and each of these files a command")
    func names() throws {
        let expected = Set(Self.commands.map(\.file))
        let found = Set(try Self.files().map { ($0 as NSString).lastPathComponent })
        #expect(expected.count > 45)
        #expect(expected.subtracting(found) == [], "commands without a file of their name")
        #expect(found.subtracting(expected) == [], "files without a command of their name")
    }

    @Test("A group's commands are in a folder of its name, or in a part of it")
    func folders() throws {
        let files = try Self.files()
        for command in Self.commands where command.isGrouped {
            #expect(
                files.contains { file in
                    file.hasPrefix("\(command.words[0])/") && file.hasSuffix("/\(command.file)")
                }, "\(command.file)")
        }
    }

    @Test("Each command's type has its name")
    func types() {
        for command in Self.commands {
            let name = String(reflecting: command.type).prefix { $0 != "<" }
            #expect(name == "LockstepTool.\(command.words.joined(separator: "."))")
        }
    }
}
