import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Which program is run, in what environment, and for how long.
@Suite(.enabled(if: TestPlugin.isPossible, "\(TestPlugin.missing)"))
struct PluginProcessTests {
    private let plugin: TestPlugin

    init() throws { plugin = try TestPlugin() }

    private func seal(_ mode: String, _ found: Plugin) throws {
        var ring = try Keyring.create(.database)
        try ring.addSlot("touch", for: plugin.recipient(mode), through: found)
    }

    // MARK: Finding

    @Test("The first absolute folder of PATH that has the program decides")
    func searching() throws {
        let other = try TestPlugin()
        let empty = try TemporaryFolder()
        let (first, second) = (other.folder.path, plugin.folder.path)
        for path in ["\(first):\(second)", ":\(empty.path):\(first)/:\(second)", "/nonexistent:\(first)"] {
            let found = try Plugin.find(plugin.name, in: path)
            #expect(found.program == first.appending("age-plugin-lstest"))
        }
    }

    @Test(
        "Empty and relative folders are skipped, even if the program is in the current folder"
    )
    func relative() async throws {
        let folder = plugin.folder.path.string
        try FileManager.default.createDirectory(
            atPath: plugin.folder.file("sub").string, withIntermediateDirectories: false)
        try ProgramFile.write("#!/bin/sh\n", to: plugin.folder.file("sub/age-plugin-lstest"))
        // The current folder belongs to the whole process, so this runs in its own.
        await #expect(processExitsWith: .success) { [folder = folder as String] in
            guard FileManager.default.changeCurrentDirectoryPath(folder) else { exit(2) }
            let name = try PluginName("lstest")
            for path in ["", ":", "::", ".", "./", "sub", "./sub", "sub/..", "~", "..:.", "\0/"] {
                do {
                    _ = try Plugin.find(name, in: path)
                    exit(3)
                } catch let error as LockstepError {
                    guard error.code == .commandFailed else { exit(4) }
                }
            }
            // Control: by its absolute path it is found.
            _ = try Plugin.find(name, in: ".:\(folder)/sub")
        }
    }

    @Test("Folders, files that cannot be run and programs of other names are not plugins") func unsuitable() throws {
        let folder = try TemporaryFolder()
        let path = folder.path.string
        Refusal.expect(.commandFailed) { _ = try Plugin.find(plugin.name, in: path) }
        try folder.write("age-plugin-lstest", "#!/bin/sh\n")
        Refusal.expect(.commandFailed) { _ = try Plugin.find(plugin.name, in: path) }
        try FileManager.default.removeItem(atPath: folder.file("age-plugin-lstest").string)
        try FileManager.default.createDirectory(
            atPath: folder.file("age-plugin-lstest").string, withIntermediateDirectories: false)
        Refusal.expect(.commandFailed) { _ = try Plugin.find(plugin.name, in: path) }
        try ProgramFile.write("#!/bin/sh\n", to: folder.file("age-plugin-LSTEST"))
        Refusal.expect(.commandFailed) { _ = try Plugin.find(plugin.name, in: path) }
    }

    @Test("A file that is not a program for this machine is an error that names it") func notAProgram() throws {
        let folder = try TemporaryFolder()
        try ProgramFile.write("\u{7F}E", to: folder.file("age-plugin-lstest"))
        let found = try Plugin.find(plugin.name, in: folder.path.string)
        let error = #expect(throws: LockstepError.self) { try seal("", found) }
        #expect(error?.code == .commandFailed)
        #expect(error?.message.contains("\(folder.path)/age-plugin-lstest") == true)
    }

    // MARK: Surroundings

    @Test(
        "It gets few variables, no descriptor of ours, the folder / and a process group of its own",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd"), "there is no /proc"))
    func surroundings() async throws {
        let folder = plugin.folder.path.string
        // Variables belong to the whole process, so this runs in its own.
        await #expect(processExitsWith: .success) { [folder = folder as String] in
            setenv("LOCKSTEP_RING", "a secret that opens a slot", 1)
            setenv("MY_APP_TOKEN", "another", 1)
            setenv("KMS_REGION", "north", 1)
            setenv("AGE_TEST", "x", 1)
            setenv("LC_TEST", "x", 1)
            // A descriptor without the close-on-exec flag, like one that a shell opened with 7<FILE.
            let file = open("/dev/null", O_RDONLY)
            guard file >= 0, dup2(file, 7) == 7 else { exit(2) }
            let notes = Notes()
            var found = try Plugin.find(PluginName("lstest"), in: folder)
            found.interaction = notes.listening
            found.variables = ["KMS_REGION"]
            let seed = Array("sixteen bytes 00".utf8) + Array("surroundings".utf8)
            var ring = try Keyring.create(.database)
            try ring.addSlot("touch", for: PluginRecipient(TestPlugin.spelled("age1lstest", seed)), through: found)
            try #require(notes.texts.count == 3)
            let names = Set(notes.texts[1].split(separator: " ").map(String.init))
            try #require(names.isSuperset(of: ["PATH", "KMS_REGION", "AGE_TEST", "LC_TEST"]), "\(names)")
            try #require(names.isDisjoint(with: ["LOCKSTEP_RING", "MY_APP_TOKEN"]), "\(names)")
            // 0 to 2, and the one with which the plugin lists them.
            try #require(notes.texts[2] == "/ [0, 1, 2] 4 True", "\(notes.texts)")
        }
    }

    // MARK: Limits

    @Test("A plugin that does not answer is ended with everything that it has started") func silent() throws {
        let notes = Notes()
        var found = try plugin.found(notes.listening)
        // The second one must get as far as printing its numbers, on a busy machine.
        for (mode, limit) in [("silent", 1), ("unheard", 2), ("silent-with-child", 8)] {
            found.answerTimeout = .seconds(limit)
            let error = #expect(throws: LockstepError.self) { try seal(mode, found) }
            #expect(error?.code == .commandFailed)
            #expect(error?.message.contains("took longer") == true)
            #expect(error?.hint?.contains("Plugin.answerTimeout") == true)
        }
        let numbers = try #require(notes.texts.last).split(separator: " ").compactMap { pid_t($0) }
        #expect(numbers.count == 2)
        for number in numbers { #expect(Self.isGone(number), "\(number)") }
    }

    @Test("The limit for the whole run holds, however quick each answer is")
    func total() throws {
        let notes = Notes()
        var found = try plugin.found(notes.listening)
        found.totalTimeout = .zero
        let error = #expect(throws: LockstepError.self) { try seal("", found) }
        #expect(error?.message.contains("took longer") == true)
    }

    @Test("A plugin that stays after its last command is ended, and has sealed nevertheless") func lingering() throws {
        let notes = Notes()
        try seal("lingering", plugin.found(notes.listening))
        let number = try #require(notes.texts.last.flatMap { pid_t($0) })
        #expect(Self.isGone(number))
    }

    @Test("A plugin that no longer listens is an error, and no signal ends this process") func brokenPipe() throws {
        var found = try plugin.found()
        found.answerTimeout = .seconds(30)
        let error = #expect(throws: LockstepError.self) { try seal("deaf", found) }
        #expect(error?.code == .commandFailed)
    }

    @Test("Output is limited, and no process is left")
    func endless() throws {
        let error = #expect(throws: LockstepError.self) { try seal("endless", plugin.found()) }
        #expect(error?.message.contains("256 KiB") == true, "\(String(describing: error))")
    }

    /// Whether a process has ended; a zombie counts.
    private static func isGone(_ number: pid_t) -> Bool {
        // A killed process ends when the system gets to it, a little later on a busy machine.
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            if kill(number, 0) != 0 { return true }
            // The last field before the state can contain anything, but ends with a parenthesis.
            let text = (try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)) ?? ") Z"
            if text.split(separator: ")").last?.hasPrefix(" Z") == true { return true }
            sched_yield()
        }
        return false
    }
}
