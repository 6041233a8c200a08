import Lockstep
public import SystemPackage

extension NoteStore {
    /// A file of text is not longer: as a note it is in memory as a whole.
    public static let longestFile = 64 * 1024 * 1024

    /// Takes a text file, or the text files of a folder in the order of their names, each as a note: `.txt`, `.text`,
    /// `.md`, `.markdown`, in UTF-8, or UTF-16 with a byte-order mark.
    ///
    /// All of them in one transaction, with one text in memory at a time. A file that is none, or cannot be read, is
    /// left out and reported with its name; if writing fails, nothing is imported.
    /// - Parameter legacy: What a file is read as that is neither; without it, such a file is left out.
    /// - Throws: ``LockstepError/Code/notFound``, ``LockstepError/Code/full``.
    public func importTexts(
        _ path: FilePath, legacy: LegacyEncoding? = nil
    ) throws -> ImportReport {
        let files = try ImportFiles(path)
        return try store.write { try NoteFiles.read(files, legacy, now, $0) }
    }

    /// The same without blocking.
    /// - Throws: as its blocking form; `CancellationError`.
    @concurrent
    public func importTexts(
        _ path: FilePath, legacy: LegacyEncoding? = nil
    ) async throws -> ImportReport {
        let files = try ImportFiles(path)
        return try await store.write { [now] in try NoteFiles.read(files, legacy, now, $0) }
    }

    /// Writes every note to a new folder, as `7.md` for the one with the key 7, in UTF-8, and gives how many: all of one
    /// snapshot, and all or none. **The files are not encrypted**; only their owner may read them.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if anything stands at `folder`; ``LockstepError/Code/full``.
    public func exportTexts(to folder: FilePath) throws -> Int {
        try store.read { try NoteFiles.write(to: folder, $0) }
    }

    /// The same without blocking.
    /// - Throws: as its blocking form; `CancellationError`.
    public func exportTexts(to folder: FilePath) async throws -> Int {
        try await store.read { try NoteFiles.write(to: folder, $0) }
    }
}

/// Notes from files and to files.
private enum NoteFiles {
    static let endings = ["txt", "text", "md", "markdown"]

    static func read(
        _ files: ImportFiles, _ legacy: LegacyEncoding?, _ now: () -> Int64,
        _ connection: borrowing Connection
    ) throws -> ImportReport {
        var report = ImportReport()
        try files.forEach(into: &report) { path in
            guard !files.isFolder || endings.contains(path.extension?.lowercased() ?? "") else {
                throw ImportProblem("its name ends in none of .\(endings.joined(separator: ", ."))")
            }
            let bytes = try files.reading {
                try FileAccess.read(path, limit: NoteStore.longestFile)
            }
            let text = try NoteText.decode(bytes, legacy: legacy)
            _ = try NoteSQL.insert(text, at: now(), connection)
        }
        return report
    }

    static func write(to path: FilePath, _ connection: borrowing Connection) throws -> Int {
        var folder = try NewFolder(path)
        let notes = try NoteStore.needingSchema {
            try connection.prepare("SELECT id, txt FROM records ORDER BY id")
        }
        var count = 0
        try notes.forEach { row in
            let text = try Array((row[1] as String).utf8)
            try folder.add("\(row[0] as Int64).md") { write in try write(text) }
            count += 1
        }
        try folder.finish()
        return count
    }
}
