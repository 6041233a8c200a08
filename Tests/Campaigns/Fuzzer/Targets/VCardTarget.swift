@testable import LockstepModels
import Lockstep

/// Files of vCards: a contact that is read is written as a card that reads as the same contact.
final class VCardTarget: FuzzTarget {
    static let name = "vcard"
    static let refusals: Set<LockstepError.Code> = []

    static func seeds() -> [String: [UInt8]] {
        let texts = [
            "four":
                "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada Lovelace\r\nN:Lovelace;Ada;;;\r\nTEL;VALUE=uri;TYPE=\"voice,home\":"
                + "tel:+1-555\r\nitem1.TEL:12\r\nitem1.X-ABLabel:_$!<Work>!$_\r\nEND:VCARD\r\n",
            "three":
                "BEGIN:VCARD\nVERSION:3.0\nN:O\\,Neil;Ann\\;e\nTEL;TYPE=CELL,pref:1\n 23\nEND:VCARD\n",
            "two":
                "BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCl=\r\nler;J\r\nTEL;HOME;FAX:9\r\n"
                + "AGENT:\r\nBEGIN:VCARD\r\nEND:VCARD\r\nEND:VCARD\r\n",
            "bad": "\u{FEFF}BEGIN:VCARD\nVERSION:5\nEND:VCARD\nx\nBEGIN:VCARD\n",
        ]
        return texts.mapValues { Array($0.utf8) }
    }

    func run(_ input: [UInt8]) throws {
        for contact in try contacts(input) {
            let card = VCardWriter.bytes(of: contact)
            let again = try contacts(card)
            require(
                again.count == 1 && words(again[0]) == words(contact),
                "a contact is read as another one: \(words(contact)) and \(again.map(words))")
        }
    }

    private func contacts(_ bytes: [UInt8]) throws -> [Contact] {
        // Short lines, so that lines over the limit also occur.
        var reader = try VCardReader(FuzzFile.write("cards.vcf", bytes), longest: 4000)
        var contacts: [Contact] = []
        while let item = try reader.next() {
            if case .contact(let contact) = item { contacts.append(contact) }
        }
        return contacts
    }

    /// Byte for byte.
    private func words(_ contact: Contact) -> [[UInt8]] {
        ([contact.firstName, contact.lastName] + contact.phones.flatMap { [$0.label, $0.number] })
            .map { Array($0.utf8) }
    }
}
