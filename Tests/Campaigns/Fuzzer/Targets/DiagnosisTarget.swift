import SystemPackage

@testable import Lockstep

/// Diagnosis of an arbitrary file. The first byte gives the file's minimum length in KiB; its bit 128 puts a first page
/// that verifies before the rest.
final class DiagnosisTarget: FuzzTarget {
    static let name = "diagnosis"
    static let refusals: Set<LockstepError.Code> = []
    private let key: DatabaseKey
    private let firstPage: [UInt8]

    init() throws {
        key = try FuzzKeys.databaseKey()
        let pages = try FuzzPages()
        firstPage = try pages.seal([UInt8](repeating: 0, count: DecryptedPage.usableSize), number: 1)
    }

    static func seeds() -> [String: [UInt8]] {
        var head = DatabaseFile.magic + [0x10, 0x00, 1, 1, 0, 64, 32, 32, 0, 0, 0, 1, 0, 0, 0, 2]
        head += [UInt8](repeating: 0, count: 60) + [0, 0, 0, 1, 0, 0x2E, 0x4E, 0x21]
        let other = [UInt8](repeating: 0x77, count: 16) + head[16...]
        return [
            "empty": [], "short": [0, 1, 2, 3], "plain": [4] + head, "cut": [0] + head,
            "other": [4] + other, "random": [4] + [UInt8](0..<200), "fits": [0x80],
            "stray": [0x81] + [UInt8](0..<100), "salt": [8] + [UInt8](repeating: 0x5A, count: 16),
        ]
    }

    func run(_ input: [UInt8]) throws {
        var input = FuzzInput(input)
        let choice = input.byte()
        let rest = input.remainder()
        var file = (choice & 0x80 == 0 ? [] : firstPage) + rest
        let least = Int(choice & 0x0F) * 1024
        file += [UInt8](repeating: 0, count: max(least - file.count, 0))
        let path = try FuzzFile.write("any.db", file)
        let diagnosis = try Diagnosis.examine(path, key: key)
        require(
            choice & 0x80 == 0 || diagnosis == .keyFits(strayBytes: file.count % FuzzPages.size),
            "a file whose first page verifies is \(diagnosis)")
        _ = diagnosis.error(path)
        _ = try Diagnosis.examinePlaintext(path)
        _ = outcome([
            .emptyDatabase, .truncated, .plaintextDatabase, .otherProduct, .wrongKey,
        ]) { try Diagnosis.requireDatabase(path) }
    }
}
