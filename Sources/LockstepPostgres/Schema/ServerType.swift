/// The numbers of the server's own types, which never change.
enum ServerType {
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let float4: UInt32 = 700
    static let float8: UInt32 = 701
    static let json: UInt32 = 114
    static let varchar: UInt32 = 1043
    static let timestamptz: UInt32 = 1184
    static let uuid: UInt32 = 2950

    /// Whether cells can be bound to a key of this type: its values have one form on every engine.
    static func isOfKeys(_ type: UInt32) -> Bool {
        [int2, int4, int8, text, varchar, bytea, uuid].contains(type)
    }

    /// A quoted column in an ORDER BY, where texts are ordered as a file orders them.
    static func ordered(_ column: String, _ type: UInt32?) -> String {
        type == text || type == varchar ? "\(column) COLLATE \"C\"" : column
    }

    /// Whether the type's values are integers.
    static func isInteger(_ type: UInt32) -> Bool { [int2, int4, int8].contains(type) }
}
