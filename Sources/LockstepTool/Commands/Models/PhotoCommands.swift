import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

/// Photos.
enum PhotoCommands: ModelCommands {
    static let entry = "photo"
    static let entries = "photos"
    static let shown = "a photo's metadata"

    struct Source: ModelSource {
        static let abstract = "Import an image, or the images in a folder, each as a photo with the file's name."
        static let discussion = """
            Reads JPEG, PNG, GIF, WebP and HEIC of any size. Other files are reported with their names. Each \
            photo is a transaction of its own: after a failure, --skip-known continues after the photos \
            that were imported.
            """
        static let argument: ArgumentHelp = "The file or folder."
        static let unit = "files"

        @Flag(help: "Import any content, whether or not it is an image.")
        var anyContent = false

        @Flag(help: "Leave out content that the store already has.")
        var skipKnown = false

        func read(
            _ path: FilePath, into store: PhotoStore, _ identity: ImportIdentity?
        ) throws -> ImportReport {
            let rules = PhotoRules(allowsAnyContent: anyContent, refusesKnownContent: skipKnown)
            return try store.importFiles(path, rules: rules, opening: identity)
        }
    }

    struct Selection: ModelSelection {
        static let abstract = "List photos, without their content."

        @Flag(help: "Only photos with the same content as another, equal ones together.") var duplicates = false

        func show(_ store: PhotoStore, _ output: FormatOptions) throws {
            let photos = try duplicates ? store.duplicates().flatMap(\.self) : store.all()
            try Listing.show(photos, output, ["id", "mediaType", "byteCount", "name"]) { photo in
                [.integer(photo.id), .text(photo.mediaType), .integer(Int64(photo.byteCount)), .text(photo.name)]
            }
        }
    }

    struct Target: ModelTarget {
        static let abstract = "Write every photo to a file in a new folder, or one photo to a new file."
        static let argument: ArgumentHelp = "The folder or file to make."

        @Option(help: "Only the photo with this id, to a file.")
        var id: Int64?

        func write(
            _ store: PhotoStore, to path: FilePath, sealedFor recipients: [Recipient]
        ) throws -> Int {
            guard let id else { return try store.exportFiles(to: path, sealedFor: recipients) }
            try store.write(id, to: path, sealedFor: recipients)
            return 1
        }
    }

    static func fields(
        of id: Int64, in store: PhotoStore
    ) throws -> KeyValuePairs<String, Value>? {
        try store.photo(id).map { photo in
            [
                "id": .integer(photo.id), "name": .text(photo.name),
                "mediaType": .text(photo.mediaType),
                "byteCount": .integer(Int64(photo.byteCount)),
                "sha256": .text(Hex.encode(photo.sha256)),
            ]
        }
    }
}
