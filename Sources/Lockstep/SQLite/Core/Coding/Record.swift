/// A value whose properties are the columns of a table's row.
///
///     struct Film: Record {
///         var id: Int64?
///         var title: String
///         var year: Int
///     }
///
/// `Codable` does the rest: ``Store/insert(_:)``, ``Store/update(_:)`` and the others write each property to the column
/// of its name, and rows are decoded to values. Both work the same on tables with sealed columns.
///
/// | property | column |
/// |---|---|
/// | integers | INTEGER; one that does not fit is an error |
/// | `Double`, `Float` | REAL; NaN is an error |
/// | `Bool` | INTEGER |
/// | `String` | TEXT |
/// | `Data`, `[UInt8]` | BLOB |
/// | `Date` | TEXT, or as ``dates(for:)`` says |
/// | `UUID` | TEXT, or as ``uuids(for:)`` says |
/// | `URL`, `Decimal` | TEXT |
/// | an enumeration or another type with raw values | its raw value |
/// | an optional | the value, or NULL |
/// | any other `Codable` type | TEXT: JSON with sorted keys |
///
/// A column that holds something else is an error with its name, never another value. `Date`, `Data`, `UUID`, `URL`,
/// `Decimal` and JSON need the package trait `Foundation`, which is on by default.
public protocol Record: Codable, Sendable {
    /// The name of the table: by default the type's, which begins in lower case.
    static var table: String { get }
    /// The columns that identify a row: `id` by default.
    static var primaryKey: [String] { get }
    /// The columns of properties whose coding keys have other names, for conditions and checks: none by default.
    ///
    ///     enum CodingKeys: String, CodingKey { case id, year = "released" }
    ///     static var columns: [PartialKeyPath<Self>: String] { [\.year: "released"] }
    ///
    /// So have properties with observers, and those of a class.
    static var columns: [PartialKeyPath<Self>: String] { get }
    /// How a column of this name stores dates: as text by default.
    static func dates(for column: String) -> DateColumns
    /// How a column of this name stores UUIDs: as text by default.
    static func uuids(for column: String) -> UUIDColumns
}

extension Record {
    /// The type's name, which begins in lower case: `film` for `Film`.
    public static var table: String {
        let name = String(describing: Self.self).prefix { $0 != "<" }
        return name.prefix(1).lowercased() + name.dropFirst()
    }

    /// `id`.
    public static var primaryKey: [String] { ["id"] }

    /// None: each property is the column of its name.
    public static var columns: [PartialKeyPath<Self>: String] { [:] }

    /// Text.
    public static func dates(for column: String) -> DateColumns { .iso8601 }

    /// Text.
    public static func uuids(for column: String) -> UUIDColumns { .text }
}
