import Testing

@testable import Lockstep

/// The text of a manifest, by the article's example, which Python's `cryptography` made.
struct ManifestFormatTests {
    static let example = """
        lockstep-manifest/1
        dataset oKGio6SlpqeoqaqrrK2urw
        release 4 2026-08-23
        registry 1 faMXdpXtjxwtA68BdKye8pWme5vh6+PBSEIffgjDp8U
        table movie 2 VLkoYBYFAxzZ8UERtxafR/sfW6Plds8DKFaao6LhhIY
        key id
        column 7 title
        sig ed25519 ebVWLo/mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ BZC3g2DRAz4jL27oxd+VyHOXHiptg6xpfvRGZGiUp8lCG/MTyOcjPP+Qqj0SUjBz3GYsnKWuvITWvNRazd3UCA

        """

    /// The example with one line in the place of another.
    private static func with(_ lines: [String], at line: Int, through last: Int? = nil) -> String {
        var all = example.split(separator: "\n").map(String.init)
        all.replaceSubrange(line...(last ?? line), with: lines)
        return all.joined(separator: "\n") + "\n"
    }

    @Test("the example is read, is signed, and is made again")
    func knownAnswer() throws {
        let manifest = try Manifest(Self.example)
        #expect(manifest.dataset == CellWorkbench.dataset)
        #expect(manifest.number == 4 && manifest.registryChanges == 1)
        #expect("\(manifest.day)" == "2026-08-23")
        #expect(manifest.tables.map(\.name) == ["movie"])
        #expect(manifest.tables[0].key == ["id"] && manifest.tables[0].rowCount == 2)
        #expect(manifest.tables[0].columns == [Manifest.Table.Column(id: 7, name: "title")])
        #expect(try manifest.isSigned())
        #expect(manifest.text == Self.example)
        let key = try SigningKey(seed: Secrets.make([UInt8](1...32)))
        #expect(try key.line(over: manifest.textAboveSignature) == manifest.signature)
        #expect(manifest.signature.text.utf8.count + 1 == SignatureLine.length)
    }

    private static let digest = "VLkoYBYFAxzZ8UERtxafR/sfW6Plds8DKFaao6LhhIY"
    private static let malformed: [String] = [
        "", "\n", String(example.dropLast()), example + "\n", example + "x\n", "\n" + example,
        example + example, example.replacing("\n", with: "\r\n"), "\u{FEFF}" + example,
        example.replacing("movie", with: "mövie"), example.replacing("key id", with: "key  id"),
        example.replacing("key id", with: "key id "), example.replacing("key id", with: "key"),
        example.replacing("key id", with: "key\tid"), example.replacing("key id", with: "Key id"),
        with(["lockstep-manifest/2"], at: 0), with([], at: 0), with([], at: 1), with([], at: 2),
        with([], at: 3), with([], at: 4), with([], at: 6), with([], at: 7),
        with(["release 4 2026-08-23", "dataset oKGio6SlpqeoqaqrrK2urw"], at: 1, through: 2),
        with(["dataset oKGio6SlpqeoqaqrrK2urx"], at: 1),
        with(["dataset oKGio6SlpqeoqaqrrK2u"], at: 1),
        with(["dataset oKGio6SlpqeoqaqrrK2urw=="], at: 1),
        with(["release 0 2026-08-23"], at: 2), with(["release 04 2026-08-23"], at: 2),
        with(["release +4 2026-08-23"], at: 2), with(["release -4 2026-08-23"], at: 2),
        with(["release 9223372036854775808 2026-08-23"], at: 2),
        with(["release 4 2026-02-30"], at: 2), with(["release 4 2026-8-23"], at: 2),
        with(["release 4"], at: 2), with(["release 4 2026-08-23 x"], at: 2),
        with(["registry 0 faMXdpXtjxwtA68BdKye8pWme5vh6+PBSEIffgjDp8U"], at: 3),
        with(["registry 1 faMXdpXtjxwtA68BdKye8pWme5vh6+PBSEIffgjDp8"], at: 3),
        with(["table movie 2"], at: 4), with(["table movie -1 \(digest)"], at: 4),
        with(["table mo-vie 2 \(digest)"], at: 4), with(["table %6Dovie 2 \(digest)"], at: 4),
        with(["table movie 2 \(digest)", "table film 2 \(digest)"], at: 4),
        with(["key id", "table movie 2 \(digest)"], at: 4, through: 5),
        with(["column 7 title", "key id"], at: 5, through: 6),
        with(["column 0 title"], at: 6), with(["column 4294967296 title"], at: 6),
        with(["column 7 title", "column 7 note"], at: 6),
        with(["column 7 title", "column 6 note"], at: 6), with(["column 7"], at: 6),
        with(["column 7 title", "table film 2 \(digest)", "column 8 title"], at: 6),
        with(["column 7 title", "table movie 2 \(digest)", "column 8 title"], at: 6),
        with(["column 7 title", "table note 2 \(digest)", "column 7 title"], at: 6),
        example.replacing("sig ed25519", with: "sig rsa"),
        example.replacing("sig ed25519 ", with: "sig ed25519 A"),
        with(["sig ed25519 ebVWLo/mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ"], at: 7),
        with(Array(repeating: "key \(String(repeating: "a", count: 4000))", count: 300), at: 5),
    ]

    @Test("nothing looser than the format is read", arguments: malformed.indices)
    func refused(_ number: Int) {
        Refusal.expect(.manifestMalformed) { _ = try Manifest(Self.malformed[number]) }
    }

    @Test("several tables and keys are read, and one without a key")
    func shapes() throws {
        for text in [
            Self.with([], at: 5), Self.with(["key id", "key part"], at: 5),
            Self.with(["column 7 title", "column 4294967295 a%20b"], at: 6),
            Self.with(
                ["column 7 title", "table movie%20two 0 \(Self.digest)", "column 1 x"], at: 6),
            Self.with(["release 9223372036854775807 0000-01-01"], at: 2),
        ] {
            let manifest = try Manifest(text)
            #expect(manifest.text == text)
            let isSigned = try manifest.isSigned()
            #expect(!isSigned)
        }
    }
}
