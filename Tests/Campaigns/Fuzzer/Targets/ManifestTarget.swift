@testable import Lockstep

/// Manifests: each has one spelling.
final class ManifestTarget: FuzzTarget {
    static let name = "manifest"
    static let refusals: Set<LockstepError.Code> = [.manifestMalformed]

    static func seeds() -> [String: [UInt8]] {
        let (id, digest) = (Base64.encode(FuzzKeys.dataset), String(repeating: "A", count: 43))
        let signature = "sig ed25519 \(digest) \(String(repeating: "A", count: 86))"
        let head = ["dataset \(id)", "release 3 2026-11-23", "registry 5 \(digest)"]
        let omissions = Manifest.omissions.map { "omits \($0)" }
        let first = [
            "lockstep-manifest/1", head[0], head[1], head[2], "table films 2 \(digest)", "key id",
            "column 1 title", signature,
        ]
        let second =
            ["lockstep-manifest/2"] + head + [
                "schema 4 \(digest)", "table films 31 \(digest) \(digest)", "key id",
                "column 1 title",
                "column 2 url", "token 1 1 title_lower", "token 2 1 url_index", "plain n%C3%A9",
                "plain year", "index by_year \(digest)", "table people 0 \(digest) \(digest)",
                "column 3 name",
            ] + omissions + [signature]
        return ["first": text(first), "second": text(second)]
    }

    private static func text(_ lines: [String]) -> [UInt8] {
        Array(lines.map { "\($0)\n" }.joined().utf8)
    }

    func run(_ input: [UInt8]) throws {
        let manifest = try ManifestParser.parse(input)
        require(manifest.text.utf8.elementsEqual(input), "a manifest has another spelling")
        _ = try manifest.isSigned()
        _ = manifest.notCovered
    }
}
