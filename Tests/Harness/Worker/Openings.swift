import FaultyWork
import Lockstep
import SystemPackage

/// Opens FOLDER/films.db in a separate process as a release of a program does, with a fault at one of the system calls
/// that change files.
///
///     Worker opens RELEASE FOLDER FAULT CALL
///
/// FAULT and CALL are those of FaultyWork. The migrations of a release are in FOLDER/RELEASE/films. The first one seals
/// nothing, the second one uses the dataset `films`, the third one also `people`.
enum Openings {
    private static func open(_ release: String, _ folder: FilePath) throws {
        let set = try MigrationSet(folder: folder.appending(release).appending("films"))
        let (path, key) = (folder.appending("films.db"), KeySource.keyFile(folder.appending("my.key")))
        let store =
            switch release {
            case "1": try Store.openBlocking(path, key: key, migrations: set)
            case "2":
                try Store.openBlocking(path, key: key, migrations: set, sealed: Dataset("films"))
            default:
                try Store.openBlocking(path, key: key, migrations: set, sealed: Dataset("films"), Dataset("people"))
            }
        try store.blocking.close()
    }

    /// Works by the arguments after "opens".
    static func run(_ arguments: [String]) -> Never { FaultyWork.run(arguments, open) }
}
