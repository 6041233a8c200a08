import Foundation
import GRDB

/// The fields of a row, whichever way they are read and written.
protocol Fields: Sendable {
    var id: Int64 { get }
    var a: Int64 { get }
    var b: Int64 { get }
    var c: Int64 { get }
    var d: Int64 { get }
    var ratio: Double { get }
    var first: String { get }
    var second: String { get }
    var bytes: Data { get }

    init(id: Int64, a: Int64, b: Int64, c: Int64, d: Int64, ratio: Double, first: String, second: String, bytes: Data)
}

/// The way that GRDB recommends for speed: columns are read by ordinal, and written through an explicit container.
struct IndexRecord: Fields {
    let id, a, b, c, d: Int64
    let ratio: Double
    let first, second: String
    let bytes: Data

    static let selection = "SELECT id, a, b, c, d, ratio, first, second, bytes FROM record"
    static let insertion = "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"

    var arguments: StatementArguments { [id, a, b, c, d, ratio, first, second, bytes] }
}

extension IndexRecord: FetchableRecord {
    init(row: Row) {
        id = row[0]
        a = row[1]
        b = row[2]
        c = row[3]
        d = row[4]
        ratio = row[5]
        first = row[6]
        second = row[7]
        bytes = row[8]
    }
}

extension IndexRecord: PersistableRecord {
    static let databaseTableName = "record"

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["a"] = a
        container["b"] = b
        container["c"] = c
        container["d"] = d
        container["ratio"] = ratio
        container["first"] = first
        container["second"] = second
        container["bytes"] = bytes
    }
}

/// Columns by their name.
struct NamedRecord: Fields {
    let id, a, b, c, d: Int64
    let ratio: Double
    let first, second: String
    let bytes: Data
}

extension NamedRecord: FetchableRecord {
    init(row: Row) {
        id = row["id"]
        a = row["a"]
        b = row["b"]
        c = row["c"]
        d = row["d"]
        ratio = row["ratio"]
        first = row["first"]
        second = row["second"]
        bytes = row["bytes"]
    }
}

/// Nothing is written by hand.
struct CodableRecord: Fields, Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "record"

    var id, a, b, c, d: Int64
    var ratio: Double
    var first, second: String
    var bytes: Data
}
