package import SystemPackage

/// Names that SQLite gives to the files beside a database. Whatever lies there under such a name is taken for a part of
/// the database, played back into it, or removed with it.
package enum SideFileName {
    /// What SQLite appends to a database's name.
    static let suffixes = ["-wal", "-shm", "-journal"]

    /// Fails if a new file at `target` could be taken for a part of a database: of one that lies there, or of one whose
    /// name has an extension, as databases' names have. `travel-journal` is a name like any other where there is no
    /// `travel`.
    package static func require(no target: FilePath) throws {
        guard let name = target.lastComponent?.string,
            let suffix = suffixes.first(where: { name.ends(with: $0) && !name.hasSameBytes(as: $0) })
        else { return }
        let database = FilePath(String(target.string.utf8.dropLast(suffix.utf8.count)) ?? "")
        guard database.extension != nil || FileAccess.exists(database) else { return }
        throw LockstepError(
            .misuse,
            "\(target) is the name of a file that SQLite keeps beside the database \(database): it would be taken "
                + "for a part of that database",
            hint: "choose a name that does not end in \(suffix)", context: .file(target))
    }
}
