import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A plugin that others could have changed does not run.
@Suite(.enabled(if: TestPlugin.isPossible, "\(TestPlugin.missing)"))
struct PluginTrustTests {
    private let plugin: TestPlugin

    init() throws { plugin = try TestPlugin() }

    private var program: FilePath { plugin.folder.file("age-plugin-lstest") }

    private func set(_ mode: Int, _ path: FilePath) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path.string)
    }

    private func link(_ path: FilePath, to target: FilePath) throws {
        try FileManager.default.createSymbolicLink(atPath: path.string, withDestinationPath: target.string)
    }

    private func folder(_ name: String, in parent: FilePath? = nil) throws -> FilePath {
        let path = (parent ?? plugin.folder.path).appending(name)
        try FileManager.default.createDirectory(
            atPath: path.string, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        return path
    }

    private func expectRefusal(
        in folder: FilePath? = nil, naming place: FilePath, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let folder = folder ?? plugin.folder.path
        let error = #expect(throws: LockstepError.self, sourceLocation: sourceLocation) {
            _ = try Plugin.find(plugin.name, in: folder.string)
        }
        #expect(error?.code == .permissionsTooOpen, sourceLocation: sourceLocation)
        #expect(error?.message.contains("the plugin lstest") == true, sourceLocation: sourceLocation)
        #expect(error?.context.file == place.string, sourceLocation: sourceLocation)
        #expect(error?.hint != nil, sourceLocation: sourceLocation)
    }

    @Test(
        "Its file or folder, where the group or everyone can write",
        arguments: [0o775, 0o757, 0o777])
    func writable(_ mode: Int) throws {
        _ = try plugin.found()
        try set(mode, program)
        try expectRefusal(naming: program)
        try set(0o755, program)
        try set(mode, plugin.folder.path)
        try expectRefusal(naming: plugin.folder.path)
        try set(0o1777, plugin.folder.path)
        try expectRefusal(naming: plugin.folder.path)
        try set(0o755, plugin.folder.path)
        _ = try plugin.found()
    }

    @Test("A folder on the way, unless others cannot replace what lies in it")
    func onTheWay() throws {
        let outer = try folder("outer")
        let inner = try folder("inner", in: outer)
        try FileManager.default.copyItem(atPath: program.string, toPath: inner.appending("age-plugin-lstest").string)
        try set(0o777, outer)
        try expectRefusal(in: inner, naming: outer)
        try set(0o1777, outer)
        _ = try Plugin.find(plugin.name, in: inner.string)
    }

    @Test("What a symbolic link leads to")
    func links() throws {
        let shared = try folder("shared")
        let target = shared.appending("program")
        try FileManager.default.copyItem(atPath: program.string, toPath: target.string)
        let links = try folder("links")
        try link(links.appending("age-plugin-lstest"), to: target)
        _ = try Plugin.find(plugin.name, in: links.string)
        try set(0o775, target)
        try expectRefusal(in: links, naming: target)
        try set(0o755, target)
        try set(0o777, shared)
        try expectRefusal(in: links, naming: shared)
        try set(0o755, shared)
        // A folder of PATH that is a link.
        try FileManager.default.moveItem(atPath: target.string, toPath: shared.appending("age-plugin-lstest").string)
        let other = plugin.folder.file("other")
        try link(other, to: shared)
        _ = try Plugin.find(plugin.name, in: other.string)
        try set(0o777, shared)
        try expectRefusal(in: other, naming: shared)
    }

    @Test(
        "A link, a program or a folder of another user", .enabled(if: geteuid() == 0, "needs root"))
    func owners() throws {
        func give(_ owner: uid_t, _ path: FilePath) throws {
            try #require(lchown(path.string, owner, 0) == 0)
        }
        for place in [program, plugin.folder.path] {
            try give(65_534, place)
            try expectRefusal(naming: place)
            try give(0, place)
        }
        let links = try folder("links")
        let name = links.appending("age-plugin-lstest")
        try link(name, to: program)
        try give(65_534, name)
        try expectRefusal(in: links, naming: name)
    }

    @Test("It is looked at again before it runs, and then is not announced")
    func beforeItRuns() throws {
        var interaction = PluginInteraction()
        interaction.willRun = { _, _ in Issue.record("it was announced") }
        let found = try plugin.found(interaction)
        let recipient = try plugin.recipient()
        try set(0o777, program)
        Refusal.expect(.permissionsTooOpen) {
            _ = try found.wrap(SecretBytes(random: 16), for: recipient)
        }
        try plugin.folder.write("identity", plugin.identityLine() + "\n")
        let stanza = try #require(PluginStanza(type: "x", arguments: [], body: []))
        Refusal.expect(.permissionsTooOpen) {
            _ = try found.unwrap(stanza, with: plugin.identities())
        }
    }
}
