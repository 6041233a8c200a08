import ArgumentParser
import Lockstep
import LockstepModels

extension MicroblogCommands {
    static let fieldNames = ["text", "user", "source", "createdAt"]

    static func insert(_ fields: EntryFields, into store: MicroblogStore) throws -> Int64 {
        try store.addStatus { users in
            var status = LockstepModels.Status(text: try fields.require("text"))
            try set(&status, fields, users)
            return status
        }
    }

    static func update(
        _ id: Int64, _ fields: EntryFields, in store: MicroblogStore
    ) throws -> Bool {
        try store.changeStatus(id) { try set(&$0, fields, $1) }
    }

    static func delete(_ id: Int64, from store: MicroblogStore) throws -> Bool {
        try store.removeStatus(id)
    }

    private static func set(
        _ status: inout LockstepModels.Status, _ fields: EntryFields, _ users: MicroblogStore.UserSearch
    ) throws {
        fields.set(&status.text, "text")
        fields.set(&status.source, "source")
        if let user = fields.values["user"] {
            status.userID = try user.map { try id(of: $0, users) }
        }
        guard let date = fields.values["createdAt"] else { return }
        status.createdAtAsWritten = nil
        status.createdAt = try date.map { text in
            guard let instant = Instant.microseconds(of: text) else {
                throw ValidationError("createdAt is a date, such as 2012-08-28 20:35:00")
            }
            return instant
        }
    }

    /// A user by the id or by a name that only one has.
    private static func id(of user: String, _ users: MicroblogStore.UserSearch) throws -> Int64 {
        if let id = Int64(user) { return id }
        let found = try users(user)
        guard let first = found.first, found.count == 1 else {
            throw LockstepError(
                .notFound, found.isEmpty ? "there is no user with this name" : "several users have this name",
                hint: "give the user's id: `lockstep list users` shows them")
        }
        return first.id
    }
}
