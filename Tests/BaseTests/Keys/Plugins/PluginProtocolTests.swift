import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Plugins that misbehave, and plugins that do more than most.
@Suite(.enabled(if: TestPlugin.isPossible, "\(TestPlugin.missing)"))
struct PluginProtocolTests {
    private let plugin: TestPlugin

    init() throws { plugin = try TestPlugin() }

    private func seal(_ mode: String, _ interaction: PluginInteraction = PluginInteraction()) throws {
        var ring = try Keyring.create(.database)
        try ring.addSlot("touch", for: plugin.recipient(mode), through: plugin.found(interaction))
        #expect(ring.summary.slots.count == 1)
    }

    private func unseal(_ mode: String, _ interaction: PluginInteraction = PluginInteraction()) throws {
        let text = try plugin.ring().encode(epoch: 1)
        _ = try plugin.open(text, mode, with: plugin.found(interaction))
    }

    @Test(
        "Unknown commands, and those of the other state machine, are answered as unsupported",
        arguments: ["unknown", "other-machine", "stderr", ""])
    func unsupported(_ mode: String) throws {
        // The plugin ends with an error unless the answers are as they should be.
        try seal(mode)
        try unseal(mode)
    }

    @Test(
        "A plugin that breaks the protocol is refused, both when sealing and when opening",
        arguments: [
            "twice", "index-1", "index-00", "index-minus", "index-missing", "bare", "body-4097",
            "argument-long", "padding", "not-base64", "unused-bits", "one-character", "wide",
            "no-arrow",
            "arrow-alone", "two-spaces", "space-last", "crlf", "bell", "latin", "nul",
            "confirm-bare",
            "confirm-three", "confirm-padded", "exit-0", "exit-3", "killed", "half", "endless",
            "endless-line",
        ])
    func broken(_ mode: String) throws {
        Refusal.expect(.commandFailed) { try seal(mode) }
        Refusal.expect(.commandFailed) { try unseal(mode) }
    }

    @Test("A plugin that returns no stanza has sealed nothing")
    func nothingReturned() throws {
        Refusal.expect(.commandFailed) { try seal("none") }
    }

    @Test("A stanza can have any body of up to 4096 bytes", arguments: ["body-empty", "body-4096"])
    func bodies(_ mode: String) throws {
        var ring = try Rings.make()
        try ring.addSlot("touch", for: plugin.recipient(mode), through: plugin.found())
        let text = try ring.encode(epoch: 1)
        let stanza = try #require(Rings.open(text).summary.slots.last).stanza()
        #expect(stanza.body.count == (mode == "body-empty" ? 0 : 4096))
        #expect(Rings.lines(text)[4].contains(mode == "body-empty" ? " - " : " AAAA"))
    }

    @Test(
        "A file key of any other length than 16 bytes is refused",
        arguments: ["body-empty", "body-short", "body-longer", "body-4096", "argument-more"])
    func fileKeys(_ mode: String) throws {
        Refusal.expect(.commandFailed) { try unseal(mode) }
    }

    @Test(
        "An error that the plugin reports is acknowledged, and passed on with its text",
        arguments: [
            "error-recipient", "error-identity", "error-stanza", "error-internal", "error-bare",
            "error-other",
        ])
    func reported(_ mode: String) throws {
        for work in [seal, unseal] {
            let error = #expect(throws: LockstepError.self) { try work(mode, PluginInteraction()) }
            #expect(error?.code == .commandFailed)
            #expect(error?.message.contains("reports: the device is on fire") == true)
            #expect(error?.message.contains("/age-plugin-lstest)") == true)
        }
    }

    @Test("The error says how a plugin ended")
    func endings() throws {
        for (mode, text) in [
            ("exit-3", "exited with status 3 before"), ("exit-0", "exited with status 0 before"),
            ("killed", "killed by signal 9"),
        ] {
            let error = #expect(throws: LockstepError.self) { try seal(mode) }
            #expect(error?.message.contains(text) == true, "\(String(describing: error))")
        }
    }

    // MARK: People

    private static func answering(_ notes: Notes) -> PluginInteraction {
        var interaction = notes.listening
        interaction.requestPublic = { name, text in
            notes.note("\(name) asks \(text)")
            return "blue"
        }
        interaction.requestSecret = { name, text in
            notes.note("\(name) asks \(text)")
            return try Secrets.make("1234")
        }
        interaction.confirm = { name, text, yes, no in
            notes.note("\(name) asks \(text) \(yes) \(no ?? "-")")
            return no == nil
        }
        return interaction
    }

    @Test("Messages and questions reach the caller, and the answers the plugin")
    func interaction() throws {
        for work in [seal, unseal] {
            let notes = Notes()
            try work("questions", Self.answering(notes))
            // Opening makes its slot first.
            #expect(
                notes.texts == [
                    "run age-plugin-lstest", "hello", "lstest asks which colour?", "lstest asks which number?",
                    "lstest asks on? go on stop", "lstest asks good? fine -", "ok; ok blue; ok 1234; ok no; ok yes",
                ])
        }
    }

    @Test("If nobody can be asked, the plugin is informed, and can go on")
    func nobody() throws {
        let notes = Notes()
        try seal("questions", notes.listening)
        #expect(notes.texts.last == "ok; fail; fail; fail; fail")
        try unseal("questions")
        var silent = notes.listening
        silent.requestPublic = { _, _ in nil }
        silent.requestSecret = { _, _ in nil }
        silent.confirm = { _, _, _, _ in nil }
        try unseal("questions", silent)
        #expect(notes.texts.last == "ok; fail; fail; fail; fail")
    }

    @Test(
        "A secret reaches the plugin byte for byte, up to 4096 of them",
        arguments: [0, 1, 47, 48, 49, 96, 4096, 4097])
    func secretLengths(_ count: Int) throws {
        let secret = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let notes = Notes()
        var interaction = notes.listening
        interaction.requestSecret = { _, _ in try Secrets.make(secret) }
        try seal("long-secret", interaction)
        let taken = count <= 4096 ? secret : []
        let digest = Hex.encode(try HashFunction.sha256.digest(taken.span))
        #expect(notes.texts.last == "\(count <= 4096 ? "ok" : "fail") \(taken.count) \(digest)")
    }

    @Test("An error thrown instead of an answer ends the plugin, and reaches the caller") func throwing() throws {
        for choice in 0..<5 {
            let stop = LockstepError(.interrupted, "stop")
            var interaction = Self.answering(Notes())
            switch choice {
            case 0: interaction.willRun = { _, _ in throw stop }
            case 1: interaction.message = { _, _ in throw stop }
            case 2: interaction.requestPublic = { _, _ in throw stop }
            case 3: interaction.requestSecret = { _, _ in throw stop }
            default: interaction.confirm = { _, _, _, _ in throw stop }
            }
            Refusal.expect(.interrupted) { try seal("questions", interaction) }
        }
    }
}
