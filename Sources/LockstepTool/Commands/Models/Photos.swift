import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

extension Import {
    /// `lockstep import photos FOLDER`
    struct Photos: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Import an image, or the images of a folder, each as a photo of the file's name.",
            discussion: """
                JPEG, PNG, GIF, WebP and HEIC, of any length. What is none is reported with its name. Each \
                photo is a transaction of its own: after a failure, --skip-known goes on behind those that \
                are there.
                """)

        @Argument(help: "The file, or the folder.")
        var source: String

        @Flag(help: "Take any content, whether it is an image or not.")
        var anyContent = false

        @Flag(help: "Leave out content that is there already.")
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

        @Flag(help: "Only those whose content others have too, equal ones together.")
        var duplicates = false

        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func run() throws {
            let store = try access.model(PhotoStore.self)
            let photos = try duplicates ? store.duplicates().flatMap(\.self) : store.all()
            try Listing.tell(photos, output, ["id", "mediaType", "byteCount", "name"]) { photo in
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
            abstract: "Show what is known of a photo.")

        @Argument(help: "The photo's id.")
        var id: Int64

        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func run() throws {
            let store = try access.model(PhotoStore.self)
            try Entry.tell(
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
            abstract: "Write every photo to a file of a new folder, or one of them to a new file.")

        @Argument(help: "The folder to make, or the file.")
        var target: String

        @Option(help: "Only the photo of this id, to a file.")
        var id: Int64?

        @OptionGroup var protection: ExportProtection
        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func run() throws {
            let store = try access.model(PhotoStore.self)
            guard let id else {
                let count = try store.exportFiles(
                    to: FilePath(target), sealedFor: protection.keys())
                return try protection.tell(count, "photos", target, output)
            }
            try store.write(id, to: FilePath(target), sealedFor: protection.keys())
            try protection.tell(1, "photos", target, output)
        }
    }
}
