import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

extension PhotoCommands {
    static let fieldNames = ["name", "file"]

    static func insert(_ fields: EntryFields, into store: PhotoStore) throws -> Int64 {
        let file = FilePath(try fields.require("file"))
        let name = fields.text("name") ?? file.lastComponent?.string ?? ""
        return try store.insert(name, from: file)
    }

    static func update(_ id: Int64, _ fields: EntryFields, in store: PhotoStore) throws -> Bool {
        guard fields.values["file"] == nil else {
            throw ValidationError("the content of a photo does not change: delete it, and insert another")
        }
        return try store.rename(id, fields.require("name"))
    }

    static func delete(_ id: Int64, from store: PhotoStore) throws -> Bool { try store.delete(id) }
}
