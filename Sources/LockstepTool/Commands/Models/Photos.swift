import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

extension Import {
    /// `lockstep import photos FOLDER`
    struct Photos: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Import an image, or the images in a folder, each as a photo with the file's name.",
            discussion: """
                Reads JPEG, PNG, GIF, WebP and HEIC of any size. Other files are reported with their names. Each \
                photo is a transaction of its own: after a failure, --skip-known continues after the photos \
                that were imported.
                """)

        @Argument(help: "The file or folder.")
        var source: String

        @Flag(help: "Import any content, whether or not it is an image.")
        var anyContent = false

        @Flag(help: "Leave out content that the store already has.")
        var skipKnown = false

        @OptionGroup var options: ImportOptions

        func run() throws {
            let rules = PhotoRules(allowsAnyContent: anyContent, refusesKnownContent: skipKnown)
            try options.run(PhotoStore.self, source, "photos", unit: "files") { store, identity in
                try store.importFiles(
                    FilePath(source), rules: rules, opening: identity)
            }
        }
    }
}

extension List {
    /// `lockstep list photos`
    struct Photos: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List photos, without their content.")

        @Flag(help: "Only photos with the same content as another, equal ones together.")
        var duplicates = false

        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func run() throws {
            let store = try access.model(PhotoStore.self)
            let photos = try duplicates ? store.duplicates().flatMap(\.self) : store.all()
            try Listing.show(photos, output, ["id", "mediaType", "byteCount", "name"]) { photo in
                [
                    .integer(photo.id), .text(photo.mediaType), .integer(Int64(photo.byteCount)),
                    .text(photo.name),
                ]
            }
        }
    }
}

extension Show {
    /// `lockstep show photos ID`
    struct Photos: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a photo's metadata.")

        @Argument(help: "The photo's id.")
        var id: Int64

        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func run() throws {
            let store = try access.model(PhotoStore.self)
            try Entry.show(
                Entry.found(store.photo(id), "photo", id), output,
                [
                    ("id", { .integer($0.id) }), ("name", { .text($0.name) }),
                    ("mediaType", { .text($0.mediaType) }),
                    ("byteCount", { .integer(Int64($0.byteCount)) }),
                    ("sha256", { .text(Self.hex($0.sha256)) }),
                ])
        }

        private static func hex(_ bytes: [UInt8]) -> String {
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }
}

extension Export {
    /// `lockstep export photos FOLDER`
    struct Photos: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write every photo to a file in a new folder, or one photo to a new file.")

        @Argument(help: "The folder or file to make.")
        var target: String

        @Option(help: "Only the photo with this id, to a file.")
        var id: Int64?

        @OptionGroup var protection: ExportProtection
        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func run() throws {
            let store = try access.model(PhotoStore.self)
            guard let id else {
                let count = try store.exportFiles(
                    to: FilePath(target), sealedFor: protection.keys())
                return try protection.show(count, "photos", target, output)
            }
            try store.write(id, to: FilePath(target), sealedFor: protection.keys())
            try protection.show(1, "photos", target, output)
        }
    }
}
