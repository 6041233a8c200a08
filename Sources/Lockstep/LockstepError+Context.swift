extension LockstepError {
    /// The subject of an error, for programs. The message says the same in words; fields that are unknown are nil.
    ///
    /// It never contains keys, passphrases or values of the database.
    public struct Context: Sendable, Hashable {
        /// The file: a path as the caller gave it, or, of a migration, the path in the folder of its set.
        public var file: String?
        /// The line in the file, from 1.
        public var line: Int?
        /// The name of the migration set.
        public var set: String?
        /// The version of the migration in its set, in canonical form.
        public var version: String?
        /// The table.
        public var table: String?
        /// The column of the table.
        public var column: String?
        /// SQLite's extended result code, if SQLite reported the failure; ``sqliteCodeName`` is its name.
        public var sqliteCode: Int32?
        /// PostgreSQL's SQLSTATE, five letters and digits, if a server reported the failure.
        public var sqlState: String?
        /// What the SQL or the schema names and the database does not have.
        public var missing: MissingObject?

        /// A context of the known fields.
        public init(
            file: String? = nil, line: Int? = nil, set: String? = nil, version: String? = nil, table: String? = nil,
            column: String? = nil, sqliteCode: Int32? = nil, sqlState: String? = nil, missing: MissingObject? = nil
        ) {
            self.file = file
            self.line = line
            self.set = set
            self.version = version
            self.table = table
            self.column = column
            self.sqliteCode = sqliteCode
            self.sqlState = sqlState
            self.missing = missing
        }

        /// Whether nothing is known.
        public var isEmpty: Bool { self == Context() }

        /// Whether two names have the same bytes.
        private static func areSame(_ one: String?, _ other: String?) -> Bool {
            guard let one, let other else { return one == nil && other == nil }
            return one.utf8.elementsEqual(other.utf8)
        }

        /// The same with the fields that `outer` knows and this context does not. A line belongs to its file, a version
        /// to its set and a column to its table: it is not taken from another one.
        func completed(by outer: Context) -> Context {
            var all = self
            if file == nil || Self.areSame(file, outer.file) { all.line = line ?? outer.line }
            if set == nil || set == outer.set { all.version = version ?? outer.version }
            if table == nil || Self.areSame(table, outer.table) {
                all.column = column ?? outer.column
            }
            all.file = file ?? outer.file
            all.set = set ?? outer.set
            all.table = table ?? outer.table
            all.sqliteCode = sqliteCode ?? outer.sqliteCode
            all.sqlState = sqlState ?? outer.sqlState
            all.missing = missing ?? outer.missing
            return all
        }
    }

    /// Something that SQL or a schema names and the database does not have.
    public struct MissingObject: Sendable, Hashable {
        /// What it would be.
        public struct Kind: Sendable, Hashable {
            private let name: String

            private init(_ name: String) { self.name = name }

            /// A table or view.
            public static let table = Self("table")
            /// A column.
            public static let column = Self("column")
            /// The table or the unique columns that a foreign key refers to.
            public static let parent = Self("parent")
            /// A SQL function.
            public static let function = Self("function")
            /// The module of a virtual table.
            public static let module = Self("module")
            /// A collation.
            public static let collation = Self("collation")
        }

        /// What it would be.
        public let kind: Kind
        /// Its name.
        public let name: String

        /// An object of this kind and name.
        public init(_ kind: Kind, _ name: String) {
            self.kind = kind
            self.name = name
        }
    }
}
