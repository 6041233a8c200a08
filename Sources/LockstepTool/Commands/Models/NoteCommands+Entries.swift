import ArgumentParser
import Lockstep
import LockstepModels

extension NoteCommands {
    static let fieldNames = ["text"]

    static func insert(_ fields: EntryFields, into store: NoteStore) throws -> Int64 {
        guard let id = try store.create(fields.require("text")) else {
            throw ValidationError("a note needs a text")
        }
        return id
    }

    static func update(_ id: Int64, _ fields: EntryFields, in store: NoteStore) throws -> Bool {
        try store.update(id, fields.require("text"))
    }

    static func delete(_ id: Int64, from store: NoteStore) throws -> Bool { try store.delete(id) }
}
