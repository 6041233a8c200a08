import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite("Contacts on every version")
struct ContactVersionsTests {
    @Test("Numbers are sealed as they are, unsealed on the way down, and sealed again") func upDownUp() throws {
        let bench = try ModelBench("contacts")
        let contacts = try bench.open(ContactStore.self, version: 2)
        for text in AwkwardTexts.all {
            try contacts.insert(
                Contact(firstName: "x", lastName: text, phones: text.isEmpty ? [] : [Phone(label: text, number: text)]))
        }
        let before = try contacts.all()
        let set = try ModelMigrations.set(ContactStore.setName)
        let wishes: [Plan.Target] = [.latest, .downTo(MigrationVersion(2)), .latest]
        for target in wishes {
            try contacts.store.blocking.migrate(set, to: target)
            let after = try contacts.all()
            #expect(after.count == before.count)
            for (one, other) in zip(before, after) {
                #expect(one.id == other.id && Contact.changes(from: one, to: other).isEmpty)
            }
        }
        try contacts.store.blocking.close()
        let report = try bench.verify()
        #expect(report.isClean, "\(report.outcomes.flatMap(\.findings))")
    }

    @Test(
        "After the way up the file contains no number in plaintext, nor do its free pages and its log"
    )
    func nothingLeft() throws {
        let bench = try ModelBench("contacts")
        let contacts = try bench.open(ContactStore.self, version: 2)
        try contacts.insert(
            (0..<300).map {
                Contact(
                    firstName: "\($0)", lastName: "x", phones: [Phone(number: "0221-4711-\($0)")])
            })
        try contacts.store.blocking.migrate(ModelMigrations.set(ContactStore.setName))
        let pages = try DecryptedPages(bench.path, bench.keyring.activeDatabaseKey())
        #expect(!pages.contain(Array("4711".utf8)))
        #expect(try contacts.contacts(withNumber: "02214711299").count == 1)
        try contacts.store.blocking.close()
    }
}
