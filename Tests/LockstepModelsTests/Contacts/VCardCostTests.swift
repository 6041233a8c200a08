import TestSupport
import Testing

@testable import LockstepModels

@Suite("The cost of a prepared vCard")
struct VCardCostTests {
    /// Lines with many parts of one kind.
    enum Line: CaseIterable {
        case softBreaks, types, parameters

        var text: String {
            switch self {
            case .softBreaks:
                let head = "N;ENCODING=QUOTED-PRINTABLE;X=\(String(repeating: "a", count: 400_000))"
                return "\(head):M=\n" + String(repeating: "=\n", count: 400_000)
            case .types:
                let types = (0..<200_000).map { "t\($0)" }.joined(separator: ",")
                return "N:M\nTEL;TYPE=\(types):1"
            case .parameters:
                let parameters = String(repeating: ";A=b", count: 120_000)
                return "N\(parameters):M\(String(repeating: ";", count: 120_000))"
            }
        }
    }

    @Test(
        "Linear and not quadratic in its length: no line keeps an import busy for long",
        // The limit ends a run that would take hours; nothing is measured.
        .timeLimit(.minutes(20)), arguments: Line.allCases)
    func linear(_ line: Line) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("a.vcf", "BEGIN:VCARD\nVERSION:3.0\n\(line.text)\nEND:VCARD\n")
        var reader = try VCardReader(path)
        guard case .contact(let contact)? = try reader.next() else {
            Issue.record("the card was left out")
            return
        }
        #expect(contact.lastName == "M")
        let rest = try reader.next()
        #expect(rest == nil)
    }
}
