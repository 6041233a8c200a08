public import Lockstep
public import SystemPackage

extension PhotoStore {
    /// Imports a file, or the files of a folder in the order of their names, each as a photo of that name.
    ///
    /// **Each file is a separate transaction**: for a large folder, the log of one transaction would need the folder's
    /// size in free space again, and every other writer would wait. So photos imported before a failure stay; importing
    /// the folder again with ``PhotoRules/refusesKnownContent`` continues after them. A file that is not an image, or
    /// cannot be read, is left out and reported with its name.
    /// - Throws: `LockstepError.Code.notFound`, `LockstepError.Code.full`.
    public func importFiles(
        _ path: FilePath, rules: PhotoRules = .init(), opening identity: ImportIdentity? = nil
    ) throws -> ImportReport {
        let files = try ImportFiles(path)
        var report = ImportReport()
        try files.forEach(into: &report) { path in
            do {
                _ = try insert(Self.name(of: path), from: path, rules: rules, opening: identity)
            } catch {
                throw Self.problem(error, files)
            }
        }
        return report
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @concurrent
    public func importFiles(
        _ path: FilePath, rules: PhotoRules = .init(), opening identity: ImportIdentity? = nil
    ) async throws -> ImportReport {
        let files = try ImportFiles(path)
        var report = ImportReport()
        try await files.forEach(into: &report) { path in
            do {
                _ = try await insert(
                    Self.name(of: path), from: path, rules: rules, opening: identity)
            } catch {
                throw Self.problem(error, files)
            }
        }
        return report
    }

    /// Writes the content of every photo to a new folder, as `7-name` for the photo with the key 7, and returns how
    /// many: all from one snapshot, and all or none. Characters that file names cannot contain become `_`. Only their
    /// owner can read the files. **Without recipients they are not encrypted**; with recipients they are sealed, and
    /// named `7.age`: their names are not kept.
    /// - Throws: The same as `write`; `LockstepError.Code.alreadyExists` if something exists at `folder`.
    public func exportFiles(
        to folder: FilePath, sealedFor recipients: [Recipient] = []
    ) throws -> Int {
        try reading { try Self.export(folder, recipients, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func exportFiles(
        to folder: FilePath, sealedFor recipients: [Recipient] = []
    ) async throws -> Int {
        try await reading { try Self.export(folder, recipients, $0) }
    }

    private static func export(
        _ path: FilePath, _ recipients: [Recipient], _ connection: borrowing Connection
    ) throws -> Int {
        let photos = try PhotoTables.all(connection)
        var folder = try NewFolder(path)
        for photo in photos {
            let reader = try PhotoReader(photo.id, on: connection)
            defer { reader.close() }
            // A name can reveal what a photo shows.
            let name = recipients.isEmpty ? fileName(of: photo) : "\(photo.id)\(ExportSealing.ending)"
            try folder.add(name) { write in
                try ExportSealing.seal(for: recipients, write) { write in
                    try reader.forEachPiece(on: connection, write)
                }
            }
        }
        try folder.finish()
        return photos.count
    }

    private static func name(of path: FilePath) -> String {
        ImportFiles.plainName(of: path).lastComponent?.string ?? ""
    }

    /// A file name that is valid on any system that allows 255 bytes for it.
    static func fileName(of photo: Photo) -> String {
        var name = "\(photo.id)-"
        for character in photo.name {
            let isPlain = character.unicodeScalars.allSatisfy {
                $0 != "/" && $0.properties.generalCategory != .control
            }
            let next = isPlain ? String(character) : "_"
            guard name.utf8.count + next.utf8.count <= 200 else { break }
            name += next
        }
        return name
    }

    /// Problems of the file are reported; problems of the database are thrown.
    private static func problem(_ error: any Error, _ files: ImportFiles) -> any Error {
        guard let error = error as? LockstepError else { return error }
        return switch error.code {
        case .malformedInput: ImportProblem(error.message)
        case .alreadyExists: ImportProblem(error.message, isKnown: true)
        case .notFound where files.isFolder, .notAFile where files.isFolder, .accessDenied where files.isFolder,
            .slotNotOpened where files.isFolder, .tampered where files.isFolder:
            ImportProblem("it cannot be read: \(error.code.rawValue)")
        default: error
        }
    }
}
