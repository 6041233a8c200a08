import Lockstep
import SystemPackage
import TestSupport
import Testing

@testable import LockstepModels

/// The reader's result for a file, without a store.
enum VCardFile {
    static func count(
        _ path: FilePath, longest: Int = LineReader.longestLine
    ) throws -> (rejected: Int, contacts: Int) {
        var reader = try VCardReader(path, longest: longest)
        var count = (rejected: 0, contacts: 0)
        while let item = try reader.next() {
            switch item {
            case .contact(let contact):
                #expect(contact.hasName)
                count.contacts += 1
            case .rejected: count.rejected += 1
            }
        }
        return count
    }
}

@Suite("Contacts as vCards")
struct VCardExportTests {
    private func store() throws -> ContactStore {
        try ContactStore.inMemory(options: StoreOptions(connection: ModelKeys.options()))
    }

    private func export(_ contacts: ContactStore) throws -> [UInt8] {
        var bytes: [UInt8] = []
        _ = try contacts.exportVCards { bytes += $0 }
        return bytes
    }

    @Test("A card has version 4.0, with types for labels that have one")
    func written() throws {
        let contacts = try store()
        try contacts.insert(
            Contact(
                firstName: "Ann; B", lastName: "O'Brien, jr.\\",
                phones: [
                    Phone(number: "1"), Phone(label: "home", number: "2"), Phone(label: "Mom,\nhome", number: "3"),
                ]))
        #expect(
            String(decoding: try export(contacts), as: UTF8.self)
                == """
                BEGIN:VCARD
                VERSION:4.0
                FN:Ann\\; B O'Brien\\, jr.\\\\
                N:O'Brien\\, jr.\\\\;Ann\\; B;;;
                TEL:1
                TEL;TYPE=home:2
                item3.TEL:3
                item3.X-ABLabel:Mom\\,\\nhome
                END:VCARD

                """.replacing("\n", with: "\r\n"))
    }

    @Test("No line is longer than 75 bytes, and no character is cut in two")
    func folded() throws {
        let contacts = try store()
        for name in ["ü", "ab", "👩‍👩‍👧‍👦", "e\u{301}", "漢"] {
            for shift in 0..<4 {
                let text = String(repeating: "x", count: shift) + String(repeating: name, count: 60)
                try contacts.insert(Contact(firstName: text, lastName: "", phones: [Phone(number: text)]))
            }
        }
        let bytes = try export(contacts)
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            #expect(line.last == UInt8(ascii: "\r") && line.count <= 76)
            #expect(String(validating: line, as: UTF8.self) != nil)
        }
        try expectSame(contacts, bytes)
    }

    @Test("An export can be imported unchanged, including every awkward text")
    func roundTrip() throws {
        let contacts = try store()
        for text in AwkwardTexts.all {
            let phones = [Phone(label: text, number: text.isEmpty ? "0" : text), Phone(number: "1")]
            try contacts.insert(Contact(firstName: text, lastName: "x", phones: phones))
            try contacts.insert(Contact(firstName: "x", lastName: text, phones: phones.reversed()))
        }
        for label in ["voice", "pref", "home fax", "Home", "phone", "text"] {
            try contacts.insert(Contact(firstName: "x", lastName: "", phones: [Phone(label: label, number: "1")]))
        }
        let long = String(AwkwardTexts.long.prefix(1_000_000))
        try contacts.insert(Contact(firstName: long, lastName: "", phones: [Phone(number: "1")]))
        try expectSame(contacts, export(contacts))
        #expect(try export(store()).isEmpty)
    }

    private func expectSame(_ contacts: ContactStore, _ bytes: [UInt8]) throws {
        let folder = try TemporaryFolder()
        let copy = try store()
        let report = try copy.importVCards(folder.write("people.vcf", bytes))
        let originals = try contacts.all().sorted { $0.id < $1.id }
        #expect(report == .of(originals.count))
        #expect(try export(copy) == bytes)
        for (one, other) in zip(originals, try copy.all().sorted { $0.id < $1.id }) {
            #expect(AwkwardTexts.areSame(one.firstName, other.firstName), "\(one.firstName.debugDescription)")
            #expect(AwkwardTexts.areSame(one.lastName, other.lastName), "\(one.lastName.debugDescription)")
            #expect(one.phones.count == other.phones.count)
            for (one, other) in zip(one.phones, other.phones) {
                #expect(AwkwardTexts.areSame(one.label, other.label), "\(one.label.debugDescription)")
                #expect(AwkwardTexts.areSame(one.number, other.number), "\(one.number.debugDescription)")
            }
        }
    }

    @Test("A line that would exhaust the memory spoils only its card, folded or not")
    func tooLong() throws {
        let folder = try TemporaryFolder()
        let folded = String(repeating: String(repeating: "x", count: 1000) + "\n ", count: 30)
        for text in [String(repeating: "x", count: 200_000), folded] {
            let path = try folder.write(
                "people.vcf",
                "BEGIN:VCARD\nVERSION:4.0\nN:a;\(text)\nEND:VCARD\nBEGIN:VCARD\nVERSION:4.0\nN:b;\nEND:VCARD")
            #expect(try VCardFile.count(path, longest: 20_000) == (rejected: 1, contacts: 1))
        }
    }

    @Test("Both directions have non-blocking twins")
    func twins() async throws {
        let contacts = try store()
        let folder = try TemporaryFolder()
        let path = try folder.write("one.vcf", "BEGIN:VCARD\nVERSION:4.0\nFN:Ann\nEND:VCARD\n")
        #expect(try await contacts.importVCards(path) == .of(1))
        #expect(try await contacts.exportVCards { _ in } == 1)
        await #expect(throws: LockstepError.self) {
            try await contacts.importVCards("/nowhere/x.vcf")
        }
    }
}
