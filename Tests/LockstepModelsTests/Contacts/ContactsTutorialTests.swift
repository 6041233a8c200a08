import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite("The contacts tutorial")
struct ContactsTutorialTests {
    @Test("Its program compiles and does what the text says")
    func program() async throws {
        let scratch = try TemporaryFolder()
        let folder = scratch.path
        // sample: ContactsTutorial.md
        let contacts = try await ContactStore.open(
            folder.appending("people.db"), key: .keyFile(folder.appending("my.key")))

        let brian = try await contacts.insert(
            Contact(firstName: "Brian", lastName: "O'Brien", phones: [Phone(label: "home", number: "+49 (221) 4711")]))
        let caller = try await contacts.contacts(withNumber: "49-221-4711")

        // Each assignment is compared: only changed values are written.
        var tracked = Tracked(brian)
        tracked.firstName = "Brian"
        tracked.phones.append(Phone(label: "cell", number: "0171 815"))
        let changes = tracked.changes
        try await contacts.update(&tracked)
        // end
        #expect(caller == [brian])
        #expect(changes == [.phoneAdded(Phone(label: "cell", number: "0171 815"))])
        #expect(try await contacts.all() == [tracked.current])
    }
}
