@testable import LockstepModels
import Lockstep

/// Content types by first bytes: the kind of an image, or the encoding of a text.
final class ImageTarget: FuzzTarget {
    static let name = "image"
    static let refusals: Set<LockstepError.Code> = []

    static func seeds() -> [String: [UInt8]] {
        [
            "jpeg": [0xFF, 0xD8, 0xFF, 0xE0],
            "png": [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A],
            "gif": Array("GIF89a".utf8), "webp": Array("RIFF\0\0\0\0WEBP".utf8),
            "heic": Array("\0\0\0\u{18}ftypheic".utf8), "utf8": [0xEF, 0xBB, 0xBF, 0xC3, 0xA9],
            "utf16": [0xFF, 0xFE, 0x3D, 0xD8, 0x00, 0xDE], "utf16-big": [0xFE, 0xFF, 0x00, 0x61],
            "latin1": [0x80, 0x99, 0xE9],
        ]
    }

    func run(_ input: [UInt8]) {
        let type = MediaType.of(input)
        require(MediaType.of(input.prefix(MediaType.decisive)) == type, "more than the first bytes count")
        for legacy in [nil] + LegacyEncoding.allCases.map(Optional.some) {
            do throws(ImportProblem) {
                let text = try NoteText.decode(input, legacy: legacy)
                require(!text.isEmpty, "a text without letters is taken")
                // A byte order mark in the text would be taken for the file's, and so would other signs of an encoding.
                guard legacy == nil, !text.utf8.contains(0), text.utf8.first != 0xEF else {
                    continue
                }
                let again = try NoteText.decode(Array(text.utf8), legacy: nil)
                require(again.utf8.elementsEqual(text.utf8), "a text is read as another one")
            } catch {}
        }
    }
}
