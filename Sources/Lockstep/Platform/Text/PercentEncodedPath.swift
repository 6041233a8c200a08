import SystemPackage

/// Encodes paths of files as ASCII words, as ``PercentEncodedName`` encodes names. A `.` and a `/` also stand for
/// themselves, and the bytes need not be UTF-8. Every path has exactly one encoding.
enum PercentEncodedPath {
    private static let maximumLength = 4096

    static func encode(_ path: FilePath) -> String {
        PercentEncodedName.encode(bytes(path), isPlain: isPlain)
    }

    /// The path; nil for a string that is not the encoding of a path in its shortest form: without empty components,
    /// without `.`, and without `..` but for one at the beginning of a relative path.
    static func decode(_ text: some StringProtocol) -> FilePath? {
        guard let bytes = PercentEncodedName.decodeBytes(text), bytes.count <= maximumLength,
            !bytes.contains(0)
        else { return nil }
        let characters = bytes.map { CInterop.PlatformChar(bitPattern: $0) } + [0]
        let path = FilePath(platformString: characters)
        // Another spelling of the path does not survive the round trip.
        guard isShortest(path), encode(path).utf8.elementsEqual(text.utf8) else { return nil }
        return path
    }

    /// Whether a path has this form.
    static func isShortest(_ path: FilePath) -> Bool {
        let names = path.components.map(\.kind)
        let inner = path.isRelative && names.first == .parentDirectory ? names.dropFirst() : names[...]
        return !inner.isEmpty && inner.allSatisfy { $0 == .regular }
    }

    private static func bytes(_ path: FilePath) -> [UInt8] {
        unsafe path.withPlatformString { text in
            var bytes: [UInt8] = []
            var next = unsafe text
            while unsafe next.pointee != 0 {
                bytes.append(UInt8(bitPattern: unsafe next.pointee))
                unsafe next += 1
            }
            return bytes
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        PercentEncodedName.isPlain(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "/")
    }
}
