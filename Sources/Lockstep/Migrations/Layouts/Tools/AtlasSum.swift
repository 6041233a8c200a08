/// `atlas.sum`: which files a folder of Atlas has, and what was in them.
///
/// The first line is `h1:` and the digest of the other lines' names and digests. Each other line is a file's name and
/// `h1:` with a running digest: of the names and contents of all files up to this one. SHA-256, base64.
struct AtlasSum {
    static let fileName = "atlas.sum"
    private let source: MigrationSource
    private let entries: [(name: Substring, digest: Substring)]

    init(_ source: MigrationSource) throws(LockstepError) {
        self.source = source
        var entries: [(name: Substring, digest: Substring)] = []
        let lines = try source.text().split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated().dropFirst() where !line.trimmingSpace().isEmpty {
            guard let mark = line.range(of: " h1:") else {
                throw source.origin.malformed("this is not a name and a digest", line: index + 1, hint: Self.hint)
            }
            entries.append(
                (
                    line[..<mark.lowerBound].trimmingSpace(),
                    line[mark.upperBound...].trimmingSpace()
                ))
        }
        self.entries = entries
        let whole = try StreamingDigest(.sha256)
        for entry in entries {
            try whole.update(Array(entry.name.utf8))
            try whole.update(Array(entry.digest.utf8))
        }
        let sum = Base64.padded(try whole.finish())
        guard (lines.first ?? "").trimmingSpace() == "h1:\(sum)" else {
            throw source.origin.malformed(
                "the first line does not fit the others: the file was edited or merged", line: 1, hint: Self.hint)
        }
    }

    /// Checks that these are the files, in their order.
    func check(_ files: [MigrationSource]) throws(LockstepError) {
        let files = files.sorted {
            Array($0.name.utf8).lexicographicallyPrecedes(Array($1.name.utf8))
        }
        var rest = entries[...]
        for file in files where !Self.isLeftOut(file) {
            guard let entry = rest.popFirst(), entry.name.hasSameBytes(as: file.name) else {
                throw file.malformed("is not in \(Self.fileName) at its place", hint: Self.hint)
            }
        }
        if let missing = rest.first {
            throw source.malformed("names \(missing.name), which is not there", hint: Self.hint)
        }
        guard let last = files.lastIndex(where: { !Self.isLeftOut($0) }) else { return }
        // The last digest is of everything. Only if it differs, the first file that does is looked for.
        if try Self.digest(files[...last]) == entries.last?.digest ?? "" { return }
        var index = 0
        for (place, file) in files.enumerated() where !Self.isLeftOut(file) {
            guard try Self.digest(files[...place]) == entries[index].digest else {
                throw file.malformed("is not what \(Self.fileName) says", hint: Self.hint)
            }
            index += 1
        }
    }

    /// Atlas leaves such files out of the list.
    private static func isLeftOut(_ file: MigrationSource) -> Bool {
        file.bytes.starts(with: "-- atlas:sum ignore".utf8)
    }

    /// The digest of these names and contents.
    private static func digest(_ files: ArraySlice<MigrationSource>) throws(LockstepError) -> String {
        let digest = try StreamingDigest(.sha256)
        for file in files {
            try digest.update(Array(file.name.utf8))
            if !isLeftOut(file) { try digest.update(file.bytes) }
        }
        return Base64.padded(try digest.finish())
    }

    private static let hint = "find out who changed it; if the change is intended, run `atlas migrate hash`"
}

extension Base64 {
    /// The text with the `=` at its end that make its length a multiple of four.
    fileprivate static func padded(_ bytes: [UInt8]) -> String {
        let text = encode(bytes)
        return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }
}

extension Substring {
    fileprivate func range(of text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].begins(with: text) {
                return start..<utf8.index(start, offsetBy: text.utf8.count)
            }
            start = unicodeScalars.index(after: start)
        }
        return nil
    }
}
