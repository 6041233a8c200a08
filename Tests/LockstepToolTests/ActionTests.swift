import ArgumentParser
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import LockstepTool

/// The tool's words for what the engine's hints advise.
@Suite("The commands and options of hints")
struct ActionTests {
    /// The tool's table of words.
    private static let table: String = {
        let file = Programs.package.appending("Sources/LockstepTool/Output/Action+Output.swift")
        return String(decoding: (try? Bytes.read(file)) ?? [], as: UTF8.self)
    }()

    @Test("Each command exists, and so do its options")
    func commands() throws {
        let typed = Self.table.matches(of: /`lockstep ([^`]+)`/).map(\.1)
        #expect(typed.count >= 20)
        for line in typed {
            var command: any ParsableCommand.Type = LockstepCommand.self
            let words = line.split(separator: " ")
            for word in words.prefix(while: { $0.allSatisfy { $0.isLowercase || $0 == "-" } })
            where !word.hasPrefix("-") {
                let found = command.configuration.subcommands.first { $0._commandName == word }
                command = try #require(found, "`lockstep \(line)` is not a command")
            }
            let help = command == LockstepCommand.self ? "--version" : command.helpMessage()
            for option in words where option.hasPrefix("--") {
                #expect(help.contains(option), "`lockstep \(line)` has no option \(option)")
            }
        }
    }

    @Test("Each option exists")
    func options() {
        let options = Set(Self.table.matches(of: /--[a-z-]+/).map { String($0.0) })
        #expect(options.count >= 15)
        var help = "--version"
        func add(_ command: any ParsableCommand.Type) {
            help += command.helpMessage()
            command.configuration.subcommands.forEach(add)
        }
        add(LockstepCommand.self)
        for option in options {
            #expect(help.contains(option), "no command has the option \(option)")
        }
    }
}
