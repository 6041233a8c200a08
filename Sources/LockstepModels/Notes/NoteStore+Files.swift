public import Lockstep
public import SystemPackage

extension NoteStore {
    /// The longest text file that is imported: as a note it is in memory as a whole.
    public static let longestFile = 64 * 1024 * 1024

    /// Imports a text file, or the text files of a folder in the order of their names, each as a note: `.txt`, `.text`,
    /// `.md`, `.markdown`, in UTF-8, or UTF-16 with a byte-order mark.
    ///
    /// All of them are imported in one transaction, with one text in memory at a time. A file that is not a text file,
    /// or cannot be read, is left out and reported with its name; if writing fails, nothing is imported.
    /// - Parameters:
    ///   - path: The file or folder.
    ///   - legacy: The encoding of files that are neither; without it, such files are left out.
    ///   - identity: Opens files sealed for recipients, whose names end in `.age` after the other ending.
    /// - Throws: `LockstepError.Code.notFound`, `LockstepError.Code.full`.
    public func importTexts(
        _ path: FilePath, legacy: LegacyEncoding? = nil, opening identity: ImportIdentity? = nil
    ) throws -> ImportReport {
        let files = try ImportFiles(path)
        return try writing { try NoteFiles.read(files, legacy, identity, now, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @concurrent
    public func importTexts(
        _ path: FilePath, legacy: LegacyEncoding? = nil, opening identity: ImportIdentity? = nil
    ) async throws -> ImportReport {
        let files = try ImportFiles(path)
        return try await writing { [now] in try NoteFiles.read(files, legacy, identity, now, $0)
        }
    }

    /// Writes every note to a new folder in UTF-8, as `7.md` for the note with the key 7, and returns how many: all
    /// from one snapshot, and all or none. Only their owner can read them. **Without recipients the files are not
    /// encrypted**; with recipients they are sealed, and named `7.md.age`.
    /// - Throws: `LockstepError.Code.alreadyExists` if something exists at `folder`; `LockstepError.Code.full`.
    public func exportTexts(
        to folder: FilePath, sealedFor recipients: [Recipient] = []
    ) throws -> Int {
        try reading { try NoteFiles.write(to: folder, recipients, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func exportTexts(
        to folder: FilePath, sealedFor recipients: [Recipient] = []
    ) async throws -> Int {
        try await reading { try NoteFiles.write(to: folder, recipients, $0) }
    }
}

/// Imports and exports notes.
private enum NoteFiles {
    static let endings = ["txt", "text", "md", "markdown"]

    static func read(
        _ files: ImportFiles, _ legacy: LegacyEncoding?, _ identity: ImportIdentity?,
        _ now: () -> Int64,
        _ connection: borrowing Connection
    ) throws -> ImportReport {
        var report = ImportReport()
        try files.forEach(into: &report) { path in
            // Files that are left out run no statement, which would check the time.
            try connection.requireTime()
            guard !files.isFolder || endings.contains(ImportFiles.plainName(of: path).extension?.lowercased() ?? "")
            else {
                throw ImportProblem("its name ends in none of .\(endings.joined(separator: ", ."))")
            }
            let bytes = try files.reading {
                try FilePieces.all(of: path, identity, limit: NoteStore.longestFile)
            }
            let text = try NoteText.decode(bytes, legacy: legacy)
            _ = try NoteSQL.insert(text, at: now(), connection)
        }
        return report
    }

    static func write(to path: FilePath, _ recipients: [Recipient], _ connection: borrowing Connection) throws -> Int {
        var folder = try NewFolder(path)
        let notes = try connection.prepare("SELECT id, txt FROM records ORDER BY id")
        var count = 0
        try notes.forEach { row in
            let text = try Array((row[1] as String).utf8)
            let ending = recipients.isEmpty ? "" : ExportSealing.ending
            try folder.add("\(row[0] as Int64).md\(ending)") { write in
                try ExportSealing.seal(for: recipients, write) { write in try write(text) }
            }
            count += 1
        }
        try folder.finish()
        return count
    }
}
