import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

/// The users of a microblog. Its files have them together with the statuses.
enum UserCommands: ModelCommands {
    typealias Source = MicroblogCommands.Source
    typealias Target = MicroblogCommands.Target

    static let name = "users"
    static let isPart = true
    static let entry = "user"
    static let entries = "users"
    static let shown = "a user of a microblog"

    struct Selection: ModelSelection {
        static let abstract = "List the users of a microblog by name."

        @Option(help: "Only users with exactly this name.")
        var named: String?

        func show(_ store: MicroblogStore, _ output: FormatOptions) throws {
            let users = try named.map { try store.users(named: $0) } ?? store.users()
            try Listing.show(users, output, ["id", "name", "screenName", "city"]) { user in
                [.integer(user.id), .text(user.name), .text(user.screenName), user.city.map(Value.text) ?? .null]
            }
        }
    }

    static func fields(
        of id: Int64, in store: MicroblogStore
    ) throws -> KeyValuePairs<String, Value>? {
        try store.user(id).map { user in
            [
                "id": .integer(user.id), "name": .text(user.name), "screenName": .text(user.screenName),
                "profileImageURL": user.profileImageURL.map(Value.text) ?? .null,
                "mbtype": user.mbtype.map(Value.text) ?? .null, "city": user.city.map(Value.text) ?? .null,
            ]
        }
    }

    static let fieldNames = ["name", "screenName", "profileImageURL", "mbtype", "city"]

    static func insert(_ fields: EntryFields, into store: MicroblogStore) throws -> Int64 {
        var user = User(name: try fields.require("name"))
        set(&user, fields)
        return try store.add(user)
    }

    static func update(
        _ id: Int64, _ fields: EntryFields, in store: MicroblogStore
    ) throws -> Bool {
        try store.changeUser(id) { set(&$0, fields) }
    }

    static func delete(_ id: Int64, from store: MicroblogStore) throws -> Bool {
        try store.removeUser(id)
    }

    static func delete(named name: String, from store: MicroblogStore) throws -> Int? {
        try store.removeUsers(named: name)
    }

    private static func set(_ user: inout User, _ fields: EntryFields) {
        fields.set(&user.name, "name")
        fields.set(&user.screenName, "screenName")
        fields.set(&user.profileImageURL, "profileImageURL")
        fields.set(&user.mbtype, "mbtype")
        fields.set(&user.city, "city")
    }
}
