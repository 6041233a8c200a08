internal import Lockstep

/// A line of a card: `group.NAME;PARAMETER=value:content`.
struct VCardProperty {
    /// The group of properties that belong together, such as `item1`; nil for none.
    let group: String?
    /// In upper case.
    let name: String
    /// The names in upper case, empty for a value without one, which the old format allows.
    private let parameters: [(name: String, value: String)]
    private let content: ArraySlice<UInt8>

    /// Nil if the line is not a property.
    init?(_ line: [UInt8]) {
        var isQuoted = false
        var ends: [Int] = []
        var colon: Int?
        for (index, byte) in line.enumerated() {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            guard !isQuoted else { continue }
            if byte == UInt8(ascii: ";") { ends.append(index) }
            if byte == UInt8(ascii: ":") {
                colon = index
                break
            }
        }
        guard let colon else { return nil }
        content = line[(colon + 1)...]
        var pieces: [String] = []
        var start = 0
        for end in ends + [colon] {
            pieces.append(String(decoding: line[start..<end], as: UTF8.self))
            start = end + 1
        }
        let parts = pieces[0].split(separator: ".", maxSplits: 1).map(String.init)
        group = parts.count == 2 ? parts[0].asciiUppercased : nil
        name = (parts.last ?? "").asciiUppercased
        parameters = pieces.dropFirst().map { piece in
            let parts = piece.pieces(between: "=", atMost: 1)
            guard parts.count == 2 else { return ("", piece) }
            return (parts[0].asciiUppercased, parts[1].filter { $0 != "\"" })
        }
    }

    /// The values of a parameter, in lower case; those without a name are types and encodings.
    func values(_ parameter: String) -> [String] {
        // exact: names of the source
        parameters.filter { $0.name == parameter }.flatMap {
            $0.value.pieces(between: ",").filter { !$0.isEmpty }
        }
        .map(\.asciiLowercased)
    }

    /// The content's encoding.
    private struct Coding {
        let encoding: String?
        let charset: String?
    }

    /// Determined once, however many parts the content has: there can be millions of both.
    private func coding() -> Coding {
        let named = values("ENCODING").first
        let bare = values("").first { VCardText.encodings.contains($0) }
        return Coding(encoding: named ?? bare, charset: values("CHARSET").first)
    }

    /// Its types, such as `home` and `fax`.
    var types: [String] {
        let bare = values("").filter { !VCardText.encodings.contains($0) }
        var known: Set<String> = ["pref"]  // exact: names of the source
        let types = (bare + values("TYPE")).filter { known.insert($0).inserted }
        // Nearly every telephone has the type `voice`.
        return types.count > 1 ? types.filter { $0 != "voice" } : types
    }

    /// The content as one text.
    func text(_ version: VCardVersion) throws(ImportProblem) -> String {
        try Self.decoded(content, version, coding())
    }

    /// The content's parts, separated by semicolons.
    func components(_ version: VCardVersion) throws(ImportProblem) -> [String] {
        let coding = coding()
        var texts: [String] = []
        var start = content.startIndex
        var isEscaped = false
        for index in content.indices {
            if isEscaped {
                isEscaped = false
            } else if content[index] == UInt8(ascii: "\\") {
                isEscaped = true
            } else if content[index] == UInt8(ascii: ";") {
                texts.append(try Self.decoded(content[start..<index], version, coding))
                start = index + 1
            }
        }
        texts.append(try Self.decoded(content[start...], version, coding))
        return texts
    }

    private static func decoded(
        _ bytes: ArraySlice<UInt8>, _ version: VCardVersion, _ coding: Coding
    ) throws(ImportProblem) -> String {
        var bytes = VCardText.unescaped(bytes, version)
        switch coding.encoding {
        case nil, "8bit"?, "7bit"?: break
        case "quoted-printable"?: bytes = VCardText.quotedPrintable(bytes)
        default: throw ImportProblem("its text is in an unknown encoding")
        }
        return try VCardText.string(bytes, charset: coding.charset)
    }
}
