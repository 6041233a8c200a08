/// Writes a contact as a card of version 4.0 (RFC 6350).
enum VCardWriter {
    /// The labels that are types of the format (RFC 6350, section 6.4.1).
    private static let types: Set<String> = [
        "home", "work", "cell", "fax", "pager", "text", "video", "textphone", "voice",
    ]

    static func bytes(of contact: Contact) -> [UInt8] {
        let names = [contact.firstName, contact.lastName].filter { !$0.isEmpty }
        var card: [UInt8] = []
        add("BEGIN:VCARD", [], to: &card)
        add("VERSION:4.0", [], to: &card)
        add("FN:", VCardText.escaped(names.joined(separator: " ")), to: &card)
        let separator = [UInt8(ascii: ";")]
        let last = VCardText.escaped(contact.lastName)
        let first = VCardText.escaped(contact.firstName)
        add("N:", last + separator + first + Array(";;;".utf8), to: &card)
        for (index, phone) in contact.phones.enumerated() {
            let number = VCardText.escaped(phone.number)
            if phone.label.isSame(as: Phone.defaultLabel) {
                add("TEL:", number, to: &card)
            } else if types.contains(phone.label) {
                add("TEL;TYPE=\(phone.label):", number, to: &card)
            } else {
                add("item\(index + 1).TEL:", number, to: &card)
                add("item\(index + 1).X-ABLabel:", VCardText.escaped(phone.label), to: &card)
            }
        }
        add("END:VCARD", [], to: &card)
        return card
    }

    /// Appends a line, folded so that no line has more than 75 bytes without its end, and no character is split.
    private static func add(_ head: String, _ content: [UInt8], to card: inout [UInt8]) {
        let line = Array(head.utf8) + content
        var start = 0
        var room = 75
        while line.count - start > room {
            var end = start + room
            // All bytes of a character except the first begin with the bits 10.
            while line[end] & 0xC0 == 0x80 { end -= 1 }
            card += line[start..<end]
            card += Array("\r\n ".utf8)
            start = end
            room = 74
        }
        card += line[start...]
        card += Array("\r\n".utf8)
    }
}
