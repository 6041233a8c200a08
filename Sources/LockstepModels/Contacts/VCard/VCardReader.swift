internal import Lockstep
internal import SystemPackage

/// The cards of a file, one after the other.
struct VCardReader: ~Copyable {
    /// An item of the file.
    enum Item {
        case contact(Contact)
        /// An item that is left out, with its first line.
        case rejected(line: Int, ImportProblem)
    }

    private var lines: VCardLines

    /// - Parameter longest: The maximum number of bytes of a line, after unfolding.
    init(
        _ path: FilePath, _ identity: ImportIdentity? = nil,
        longest: Int = LineReader.longestLine
    ) throws {
        lines = try VCardLines(path, identity, longest: longest)
    }

    /// The next card, or nil at the end.
    mutating func next() throws -> Item? {
        while let line = try lines.next(nil) {
            if line.bytes?.allSatisfy(Self.isBlank) == true { continue }
            guard let property = line.bytes.flatMap({ VCardProperty($0) }),
                Self.is(property, "BEGIN")
            else { return .rejected(line: line.number, ImportProblem("it is outside of a card")) }
            return try card(line.number)
        }
        return nil
    }

    private mutating func card(_ begin: Int) throws -> Item {
        var card = VCardParts()
        // In the old format a card can contain the card of an agent.
        var depth = 1
        var isAgent = false
        while let line = try lines.next(card.version) {
            guard let bytes = line.bytes else {
                card.isTooLong = true
                continue
            }
            // Lines that are not properties, such as the blank line after a picture, do not affect the names.
            guard let property = VCardProperty(bytes) else { continue }
            if Self.is(property, "BEGIN") {
                guard isAgent, card.version == .two else {
                    lines.putBack(line)
                    break
                }
                depth += 1
            }
            if Self.is(property, "END") { depth -= 1 }
            if depth == 0 {
                do throws(ImportProblem) {
                    return .contact(try card.contact())
                } catch {
                    return .rejected(line: begin, error)
                }
            }
            if depth == 1 { card.take(property) }
            isAgent = property.name == "AGENT"
        }
        return .rejected(line: begin, ImportProblem("the card does not end"))
    }

    private static func `is`(_ property: VCardProperty, _ name: String) -> Bool {
        // exact: names of the source
        guard property.name == name, let text = try? property.text(.four) else { return false }
        return text.asciiUppercased.filter { !$0.isWhitespace } == "VCARD"
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}

/// The parts of a card read so far.
struct VCardParts {
    private(set) var version: VCardVersion?
    var isTooLong = false
    private var names: VCardProperty?
    private var fullName: VCardProperty?
    private var phones: [VCardProperty] = []
    private var labels: [ExactText: VCardProperty] = [:]

    mutating func take(_ property: VCardProperty) {
        switch property.name {
        case "VERSION":
            let text = try? property.text(.four)
            version = text.flatMap { VCardVersion(rawValue: $0.filter { !$0.isWhitespace }) }
        // If a name has several spellings, in several languages, the first counts.
        case "N": names = names ?? property
        case "FN": fullName = fullName ?? property
        case "TEL": phones.append(property)
        case "X-ABLABEL":
            if let group = property.group.map({ ExactText($0) }) {
                labels[group] = labels[group] ?? property
            }
        default: break
        }
    }

    func contact() throws(ImportProblem) -> Contact {
        guard let version else {
            throw ImportProblem("the card's version is not 2.1, 3.0 or 4.0")
        }
        guard !isTooLong else {
            throw ImportProblem("one of its lines is longer than 16 MiB")
        }
        let parts = try names?.components(version) ?? []
        var contact = Contact(firstName: parts.count > 1 ? parts[1] : "", lastName: parts.first ?? "")
        if !contact.hasName {
            contact = Contact(firstName: try fullName?.text(version) ?? "", lastName: "")
        }
        guard contact.hasName else { throw ImportProblem("the card has no name") }
        for phone in phones {
            var number = try phone.text(version)
            if phone.values("VALUE").contains("uri"), let rest = Self.number(ofURI: number) {
                number = rest
            }
            guard !number.isEmpty else { continue }
            contact.phones.append(Phone(label: try label(of: phone, version), number: number))
        }
        return contact
    }

    private static func number(ofURI text: String) -> String? {
        let scheme = String(text.utf8.prefix(4)) ?? ""
        return scheme.asciiLowercased == "tel:" ? String(text.utf8.dropFirst(4)) : nil
    }

    private func label(
        of phone: VCardProperty, _ version: VCardVersion
    ) throws(ImportProblem) -> String {
        if let label = phone.group.flatMap({ labels[ExactText($0)] }) {
            return try label.text(version)
        }
        let types = phone.types
        return types.isEmpty ? Phone.defaultLabel : types.joined(separator: " ")
    }
}
