import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite("The contacts tutorial")
struct ContactsTutorialTests {
    @Test("Its program compiles and does what the text says")
    func program() throws {
        let scratch = try TemporaryFolder()
        let folder = scratch.path
        // sample: ContactsTutorial.md
        func keyring(_ purpose: KeyringPurpose, _ name: String) throws -> Keyring {
            let file = KeyringFile(folder.appending("Keys/\(name)"))
            if !file.exists {
                _ = try KeyFile.createIfMissing(folder.appending("my.key"))
                var keyring = try Keyring.create(purpose)
                try keyring.addSlot("key-file", KeyFile.read(folder.appending("my.key")))
                try file.create(keyring)
            }
            return try file.open { _ in try KeyFile.read(folder.appending("my.key")) }
        }
        let database = try keyring(.database, "people.database.keyring")
        let fields = try keyring(.fields, "contacts.fields.keyring")

        var options = StoreOptions()
        options.connection.fieldKeys = [try fields.fieldKeys(named: "contacts")]
        let path = folder.appending("people.db")
        let contacts = try ContactStore.open(
            path, key: database.databaseKey(for: path), options: options)

        let brian = try contacts.insert(
            Contact(
                firstName: "Brian", lastName: "O'Brien",
                phones: [Phone(label: "home", number: "+49 (221) 4711")]))
        let caller = try contacts.contacts(withNumber: "49-221-4711")

        // Each assignment is compared: only changed values are written.
        var tracked = Tracked(brian)
        tracked.firstName = "Brian"
        tracked.phones.append(Phone(label: "cell", number: "0171 815"))
        let changes = tracked.changes
        try contacts.update(&tracked)
        // end
        #expect(caller == [brian])
        #expect(changes == [.phoneAdded(Phone(label: "cell", number: "0171 815"))])
        #expect(try contacts.all() == [tracked.current])
    }
}
