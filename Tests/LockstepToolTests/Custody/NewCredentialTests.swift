import ArgumentParser
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep
@testable import LockstepTool

@Suite("Secrets are read once", .serialized)
struct NewCredentialTests {
    private static let passphrase = "correct horse battery staple"

    /// A descriptor with a passphrase, which is at its end after the first reading.
    private func withDescriptor(_ body: (Int32) throws -> Void) throws {
        let pipe = try FileDescriptor.pipe()
        defer { try? pipe.readEnd.close() }
        _ = try pipe.writeEnd.writeAll("\(Self.passphrase)\n".utf8)
        try pipe.writeEnd.close()
        try body(pipe.readEnd.rawValue)
    }

    private func opens(_ keyring: borrowing Keyring, _ slot: String) throws -> Bool {
        try keyring.opens(slot, with: .passphrase(Passphrase(Self.passphrase.utf8Span.span)))
    }

    @Test("A descriptor gives the same to every option and attempt") func descriptor() throws {
        try withDescriptor { number in
            for _ in 1...3 {
                let passphrase = try Passphrase(readingFrom: number)
                #expect(try passphrase.matches(Passphrase(Self.passphrase.utf8Span.span)))
            }
        }
        // Another pipe of the same number has its own.
        let pipe = try FileDescriptor.pipe()
        defer { try? pipe.readEnd.close() }
        try pipe.writeEnd.close()
        let error = #expect(throws: LockstepError.self) { _ = try Passphrase(readingFrom: pipe.readEnd.rawValue) }
        #expect(error?.code == .secretUnsuitable)
    }

    @Test("A passphrase is not changed to itself by one descriptor for both") func sameDescriptor() throws {
        func parse(_ number: Int) throws {
            _ = try Keys.ChangePassphrase.parse(
                ["-d", "a.db", "--passphrase-fd", "3", "--new-passphrase-fd", "\(number)"])
        }
        let error = #expect(throws: (any Error).self) { try parse(3) }
        #expect(error.map { "\($0)" }?.contains("must name two descriptors") == true)
        try parse(4)
    }

    @Test("A path in a hint is one word of shell, and no option") func words() {
        func typed(_ path: String) -> String { LockstepError.Action.forkOf(path, keyring: "k").typed }
        #expect(typed("a.db") == "`lockstep keys fork a.db --keyring k`")
        #expect(typed("-x.db") == "`lockstep keys fork ./-x.db --keyring k`")
        #expect(typed("a'b c.db") == "`lockstep keys fork 'a'\\''b c.db' --keyring k`")
    }

    @Test("A slot is added to a keyring and to its newer version with one reading") func slot() throws {
        try withDescriptor { number in
            let options = try NewSlotOptions.parse(["--new-passphrase-fd", "\(number)"])
            let credential = NewCredential()
            for _ in 1...2 {
                var keyring = try Keyring.create(.database)
                try options.addSlot("pp", to: &keyring, credential, PluginOptions.parse([]))
                #expect(try opens(keyring, "pp"))
            }
        }
    }

    @Test("A variable is wiped when it is read, and known from then on") func variable() throws {
        let name = "LOCKSTEP_TEST_SECRET_READ_ONCE"
        let value = String(repeating: "v", count: 40)
        #expect(unsafe setenv(name, value, 1) == 0)
        for _ in 1...2 {
            #expect(try count(name) == 40)
            #expect(unsafe getenv(name) == nil)
        }
        #expect(unsafe setenv(name, "another", 1) == 0)
        #expect(try count(name) == 7)
        #expect(try count("\(name)_UNSET") == nil)
    }

    private func count(_ variable: String) throws -> Int? {
        guard let secret = try LockstepTool.Environment.takeSecret(variable) else { return nil }
        return secret.count
    }
}
