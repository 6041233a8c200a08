import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite(
    "Contacts that the original program wrote",
    .enabled(if: PlainDatabase.isPossible, PlainDatabase.missing))
struct ContactAdoptionTests {
    @Test(
        "are adopted, migrated to the newest version and verified, and every value is found again",
        arguments: ["", " TEXT", " varchar(40)"])
    func adopted(type: String) throws {
        let bench = try ModelBench("contacts")
        var sql = "CREATE TABLE Contacts(idx INTEGER PRIMARY KEY, firstname\(type), lastname\(type), phone\(type));\n"
        for (index, text) in AwkwardTexts.all.enumerated() {
            let text = PlainDatabase.quoted(text)
            sql += "INSERT INTO Contacts VALUES (\(index + 1), \(text), \(text), \(text));\n"
        }
        sql += """
            INSERT INTO Contacts VALUES (1001, 'Brian', 'O''Brien', '+49 221 1');
            INSERT INTO Contacts VALUES (1002, NULL, 'Only', 2211);
            INSERT INTO Contacts VALUES (1003, NULL, NULL, ' 0221-3 ');
            INSERT INTO Contacts VALUES (1004, 'No', 'Phone', NULL), (1005, 'Empty', 'Phone', '');

            """
        let plain = try PlainDatabase.make("contacts.sqlite", in: bench.folder, sql)
        try bench.adopt(plain, as: ContactStore.self)
        let contacts = try bench.open(ContactStore.self)
        for (index, text) in AwkwardTexts.all.enumerated() {
            let contact = try #require(try contacts.contact(Int64(index + 1)))
            #expect(AwkwardTexts.areSame(contact.firstName, text))
            #expect(AwkwardTexts.areSame(contact.lastName, text))
            // Blanks around a number are removed; a number of blanks only is removed, too.
            let number = String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            #expect(contact.phones.map(\.number).joined().isEqualAsBytes(to: number), "\(text.debugDescription)")
        }
        let brian = try #require(try contacts.contact(1001))
        #expect(brian.lastName == "O'Brien" && brian.phones.map(\.number) == ["+49 221 1"])
        #expect(try contacts.contacts(withNumber: "22-11").map(\.id) == [1002])
        #expect(try contacts.contacts(withNumber: "02213").map(\.id) == [1003])
        #expect(try contacts.contact(1003)?.hasName == false)
        #expect(try contacts.contact(1004)?.phones == [])
        #expect(try contacts.contact(1005)?.phones == [])
        #expect(try contacts.count() == AwkwardTexts.all.count + 5)
        // A contact without a name can still get one, and its telephones can be changed before that.
        var nameless = Tracked(try #require(try contacts.contact(1003)))
        nameless.phones[0].label = "home"
        #expect(try contacts.update(&nameless))
        nameless.firstName = "Named"
        #expect(try contacts.update(&nameless))
        try contacts.store.blocking.close()
        let report = try bench.verify()
        #expect(report.isClean, "\(report.outcomes.flatMap(\.findings))")
    }
}

extension String {
    fileprivate func isEqualAsBytes(to other: String) -> Bool { AwkwardTexts.areSame(self, other) }
}
