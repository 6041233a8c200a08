import Foundation
import Lockstep

struct Person: Record {
    var id: Int64?
    var name: String
    var born: Int?
    var joined: Date, tags: [String]
}
// 1: make or open the encrypted database; 2: migrate it.
let store = try await Store.open(
    "app.db", key: .passphrase("correct horse battery staple"), migrations: EmbeddedMigrations.app)
// 3: insert, which returns the row with its number; 4: update; 5: insert or update.
var ann = try await store.insert(Person(name: "Ann", born: 1990, joined: .now, tags: ["friend"]))
ann.born = 1991
try await store.update(ann)
try await store.upsert(ann)
// 6: find by key; 7: read all; 8: filter, order, limit.
guard let id = ann.id, let found = try await store.find(Person.self, id) else { fatalError() }
print(found.name, found.born ?? 0, found.tags, try await store.all(Person.self).count)
let young = try await store.all(
    Person.self, where: { $0.born > 1980 && $0.name.hasPrefix("An") }, orderBy: { [$0.name.ascending] }, limit: 20)
print(young.map(\.name))
// 9: observe, while ten tasks write.
async let grown = store.observe { try $0.count(Person.self) }.first { $0 > 10 }
try await withThrowingTaskGroup(of: Person.self) { group in
    for number in 1...10 {
        group.addTask { try await store.insert(Person(name: "\(number)", joined: .now, tags: [])) }
    }
    try await group.waitForAll()
}
print(try await grown ?? 0)
// 10: delete.
print(try await store.delete(Person.self, where: { $0.name != "nobody" }))
