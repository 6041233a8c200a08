import Lockstep
import LockstepModels
import TestSupport
import Testing

@Suite("Contacts from vCards")
struct VCardImportTests {
    private func read(_ bytes: [UInt8]) throws -> (ImportReport, [String]) {
        let contacts = try ContactStore.inMemory(options: StoreOptions(connection: ModelKeys.options()))
        let folder = try TemporaryFolder()
        let report = try contacts.importVCards(folder.write("people.vcf", bytes))
        let people = try contacts.all().sorted { $0.id < $1.id }.map { contact in
            let phones = contact.phones.map { "\($0.label)=\($0.number)" }
            return ([contact.firstName, contact.lastName] + phones).joined(separator: "|")
        }
        return (report, people)
    }

    private func card(_ version: String, _ lines: String...) -> String {
        (["BEGIN:VCARD", "VERSION:\(version)"] + lines + ["END:VCARD", ""]).joined(separator: "\r\n")
    }

    private func people(_ text: String) throws -> [String] {
        let (report, people) = try read(Array(text.utf8))
        #expect(report.rejections.isEmpty)
        #expect(report.imported == people.count)
        return people
    }

    @Test(
        "Version 4.0: names, types, groups and addresses of numbers, with other properties around")
    func four() throws {
        let text = card(
            "4.0", "FN:Dr. Ann B. O'Brien", "N:O'Brien;Ann;B.;Dr.;", "item1.TEL:+49 221 1",
            "item1.X-ABLabel:Mom's\\, home", "TEL;VALUE=uri;PREF=1;TYPE=\"voice,home\":tel:+1-555-555-5555;ext=5555",
            "TEL;TYPE=cell:0171", "TEL;TYPE=work,fax:22", "TEL:", "EMAIL:a@b.c",
            "X-UNKNOWN;A=\"x:y;z\":1",
            "ADR;LABEL=\"a;b:c\":;;;", "NOTE:no colon problem: here", "no property at all")
        #expect(
            try people(text) == [
                "Ann|O'Brien|Mom's, home=+49 221 1|home=+1-555-555-5555;ext=5555|cell=0171|work fax=22"
            ])
    }

    @Test("Version 3.0: escapes, folded lines, and the types of that version")
    func three() throws {
        let text = card(
            "3.0", "n;charset=utf-8:a\\;b\\,c\\\\d;li\\nne\\Nno\\x;;;", "FN:x",
            "TEL;TYPE=HOME;TYPE=pref,VOICE:1",
            "TEL;type=CELL,VOICE,pref:2", "TEL;TYPE=", " voice:\t", " 3", "TEL:4",
            "NOTE:TEL;TYPE=x:9\r\n TEL:5")
        #expect(
            try people(text) == ["li\nne\nno\\x|a;b,c\\d|home=1|cell=2|voice=\t3|phone=4"])
    }

    @Test("Version 2.1: bare types, quoted-printable over several lines, and character sets") func two() throws {
        let latin =
            Array("BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=ISO-8859-1:M".utf8) + [0xFC]
            + Array("ller;J\\;r;;\r\nTEL;HOME;VOICE:1\r\nTEL;CELL:2\r\nEND:VCARD\r\n".utf8)
        let text =
            card(
                "2.1", "N;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:M=C3=BCl=", "ler;J=C3=",
                "=B6rg=3D;;;",
                "TEL;WORK;FAX;ENCODING=QUOTED-PRINTABLE:=30=31=", " 2", "TEL;8BIT:3\\n",
                "PHOTO;ENCODING=BASE64;TYPE=GIF:R0lGODlh", "  AAAA", "", "NOTE:a", " TEL:9")
            + card(
                "2.1", "N;QUOTED-PRINTABLE;CHARSET=WINDOWS-1252:=80uro;=93x=94", "AGENT:",
                "BEGIN:VCARD",
                "N:Agent;Smith", "TEL:007", "END:VCARD", "TEL:1")
        let (report, people) = try read(latin + Array(text.utf8))
        #expect(report == .of(3))
        #expect(people == ["J;r|Müller|home=1|cell=2", "Jörg=|Müller|work fax=01 2|phone=3\\n", "“x”|€uro|phone=1"])
    }

    @Test("A folded line of version 2.1 keeps its blank, one of the later versions does not") func folds() throws {
        #expect(try people(card("2.1", "N:van", " Dyck;Ann")) == ["Ann|van Dyck"])
        #expect(try people(card("3.0", "N:van", "  Dyck;A", "\tnn")) == ["Ann|van Dyck"])
    }

    @Test(
        "LF, CRLF, a byte-order mark, blank lines between, lower case and a missing last line end"
    )
    func endings() throws {
        #expect(
            try people(
                "\u{FEFF}begin:vcard\nversion:4.0\nn:A;B\nend:vcard\n\n \n"
                    + "BEGIN:VCARD\r\nVERSION:3.0\r\nN:C;D\r\nEND:VCARD\r\n\r\n"
                    + "BEGIN:VCARD \nVERSION: 4.0\nFN:E F\nEND:VCARD"
            ) == ["B|A", "D|C", "E F|"])
        #expect(try people("").isEmpty)
    }

    @Test("Invalid cards are reported with their first line, the others imported")
    func rejections() throws {
        let cases: [(String, String?)] = [
            ("BEGIN:VCARD\nVERSION:4.0\nN:secret;a\nEND:VCARD", nil), ("secret", "it is outside of a card"),
            ("N:secret;b", "it is outside of a card"), ("BEGIN:VCALENDAR", "it is outside of a card"),
            ("END:VCARD", "it is outside of a card"),
            ("BEGIN:VCARD\nVERSION:4.0\nN:;;secret\nTEL:1\nEND:VCARD", "the card has no name"),
            ("BEGIN:VCARD\nVERSION:4.0\nN: ;\nFN:\nEND:VCARD", "the card has no name"),
            (
                "BEGIN:VCARD\nN:secret;a\nEND:VCARD",
                "the card's version is not 2.1, 3.0 or 4.0"
            ),
            (
                "BEGIN:VCARD\nVERSION:5.0\nN:a;a\nEND:VCARD",
                "the card's version is not 2.1, 3.0 or 4.0"
            ),
            ("BEGIN:VCARD\nVERSION:4.0\nN:cut;off", "the card does not end"),
            ("BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=KOI8-R:a;b\nEND:VCARD", "its text is in an unknown character set"),
            (
                "BEGIN:VCARD\nVERSION:3.0\nN;ENCODING=B:YTti\nEND:VCARD",
                "its text is in an unknown encoding"
            ),
            ("BEGIN:VCARD\nVERSION:4.0\nN:last;a\nEND:VCARD", nil),
            ("BEGIN:VCARD\nVERSION:4.0\nN:a;b", "the card does not end"),
        ]
        var expected: [String] = []
        var line = 1
        for (text, reason) in cases {
            if let reason { expected.append("\(line): \(reason)") }
            line += text.split(separator: "\n").count
        }
        let (report, people) = try read(Array(cases.map(\.0).joined(separator: "\n").utf8))
        #expect(report.rejections.map { "\($0.line ?? 0): \($0.reason)" } == expected)
        #expect(people == ["a|secret", "a|last"])
        #expect(!"\(report)".contains("secret"))
        let bytes = Array("BEGIN:VCARD\nVERSION:4.0\nN:".utf8) + [0xFF] + Array(";a\nEND:VCARD".utf8)
        #expect(
            try read(bytes).0.rejections.map(\.reason) == ["it is not valid UTF-8, and no other character set is named"]
        )
    }

    @Test("Damage anywhere in a file does not crash", arguments: 0..<20 as Range<UInt64>)
    func damaged(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let whole = Array(
            (card("2.1", "N;ENCODING=QUOTED-PRINTABLE:=C3=BC;b=", "c", "TEL;HOME:1")
                + card("4.0", "N:a\\;b;c", "item1.TEL;TYPE=\"a,b\":1", "item1.X-ABLabel:x", " y")).utf8)
        let interesting = Array("=;:\\,\".\n\r \0".utf8) + [0xFF]
        var file: [UInt8] = []
        for _ in 0..<50 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = interesting.randomElement(using: &random) ?? 0
                case 1: bytes.insert(interesting.randomElement(using: &random) ?? 0, at: place)
                default: bytes.removeSubrange(place..<min(bytes.count, place + 5))
                }
            }
            file += bytes
        }
        let folder = try TemporaryFolder()
        let found = try VCardFile.count(folder.write("people.vcf", file))
        #expect(found.rejected + found.contacts > 10)
    }
}
