/// Whether a database is what its publisher has released, dataset by dataset.
public struct ManifestReport: Sendable, Hashable {
    /// Of one dataset.
    public struct Outcome: Sendable, Hashable {
        /// Its 16-byte identifier; nil where the database has none.
        public let dataset: [UInt8]?
        /// The manifest, if the publisher has signed it.
        public internal(set) var manifest: Manifest?
        /// What was compared with it; nil where there is no such manifest.
        public internal(set) var compared: Comparison?
        /// What is not as it was released; empty if all that was compared is.
        public internal(set) var findings: [Finding] = []

        /// What a reader of the outcome must know beside the findings; nil if there is nothing.
        public var notice: String? {
            guard let manifest, manifest.version == .first else { return nil }
            return "the manifest is of version 1, which does not cover "
                + Manifest.firstOmissions.joined(separator: "; ")
                + ". `lockstep release make` of its publisher writes version 2"
        }
    }

    /// What of a database was compared with a release.
    public struct Comparison: Sendable, Hashable {
        /// The tables of the release that the database has, with its columns and key.
        public internal(set) var tables: [Table] = []
        /// How many definitions of the schema there are, apart from the tables' indexes; nil if they were not
        /// compared.
        public internal(set) var definitionCount: UInt64?
        /// What was not compared, in words.
        public let notCompared: [String]

        /// A table that was compared.
        public struct Table: Sendable, Hashable {
            /// Its name.
            public let name: String
            /// How many rows the database has of it.
            public let rowCount: UInt64
            /// The columns whose values were compared in each row.
            public let columns: [String]
            /// The indexes of the release, whose definitions were compared.
            public let indexes: [String]
        }
    }

    /// The datasets, by their identifiers; at least one.
    public internal(set) var outcomes: [Outcome]

    /// What is not as it was released, of all that was compared.
    public var findings: [Finding] { outcomes.flatMap(\.findings) }
    /// Whether all that was compared is as it was released. What that is, ``Outcome/compared`` says.
    public var isClean: Bool { findings.isEmpty }

    /// What is not as it was released. It names tables, never a value.
    public enum Finding: Sendable, Hashable {
        /// There is no manifest.
        case missing
        /// Its text breaks the format, as it is told here.
        case malformed(String)
        /// It is another publisher's.
        case foreignPublisher(Publisher)
        /// The signature is not one of its text.
        case forged
        /// It is of another dataset.
        case otherDataset
        /// It is of an older release than it must be.
        case outdated(number: UInt64, minimum: UInt64)
        /// What the database says of its sealed columns is gone.
        case registryMissing
        /// What the database says of its sealed columns is older than the release.
        case registryOlder(changes: UInt64, released: UInt64)
        /// What the database says of its sealed columns was changed since.
        case registryNewer(changes: UInt64, released: UInt64)
        /// What the database says of its sealed columns is not what was released.
        case registryOther
        /// A table is gone.
        case tableMissing(String)
        /// A table has another primary key, or other columns.
        case tableOther(String)
        /// So many rows of a table are gone; others may have been changed, too.
        case rowsMissing(table: String, UInt64)
        /// A table has so many more rows; others may have been changed, too.
        case rowsAdded(table: String, UInt64)
        /// Rows of a table are others: forged, changed, swapped, or older ones put back.
        case rowsChanged(table: String)
        /// Keys and sealed values of a table are those of the release, and tokens or plain values beside them are not.
        case plainChanged(table: String)
        /// An index of a table is gone.
        case indexMissing(table: String, index: String)
        /// A table has an index that the release does not have.
        case indexAdded(table: String, index: String)
        /// An index of a table is defined in another way.
        case indexChanged(table: String, index: String)
        /// The schema is another one, apart from the tables' indexes: something was defined, changed or dropped.
        case schemaChanged(definitions: UInt64, released: UInt64)
    }
}

extension ManifestReport.Finding {
    /// Which it is, for programs; stable.
    public var code: String {
        switch self {
        case .missing: "manifest-missing"
        case .malformed: "manifest-malformed"
        case .foreignPublisher: "foreign-publisher"
        case .forged: "manifest-forged"
        case .otherDataset: "other-dataset"
        case .outdated: "release-outdated"
        case .registryMissing: "registry-missing"
        case .registryOlder: "registry-older"
        case .registryNewer: "registry-newer"
        case .registryOther: "registry-other"
        case .tableMissing: "table-missing"
        case .tableOther: "table-other"
        case .rowsMissing: "rows-missing"
        case .rowsAdded: "rows-added"
        case .rowsChanged: "rows-changed"
        case .plainChanged: "plain-changed"
        case .indexMissing: "index-missing"
        case .indexAdded: "index-added"
        case .indexChanged: "index-changed"
        case .schemaChanged: "schema-changed"
        }
    }

    /// The table that it is about.
    public var table: String? {
        switch self {
        case .tableMissing(let table), .tableOther(let table), .rowsMissing(let table, _),
            .rowsAdded(let table, _), .rowsChanged(let table), .plainChanged(let table),
            .indexMissing(let table, _), .indexAdded(let table, _), .indexChanged(let table, _):
            table
        default: nil
        }
    }
}

extension ManifestReport.Finding: CustomStringConvertible {
    /// What it is, for people.
    public var description: String {
        switch self {
        case .missing:
            "there is no manifest: the release was never signed, or somebody took it away"
        case .malformed(let what): what
        case .foreignPublisher(let publisher): "the manifest is signed by \(publisher)"
        case .forged: "the manifest's signature is not one of its text"
        case .otherDataset: "the manifest is of another dataset"
        case .outdated(let number, let minimum):
            "the manifest is of release \(number), and \(minimum) was seen: an older copy was put back"
        case .registryMissing: "what the database says of its sealed columns is gone"
        case .registryOlder(let changes, let released):
            "what the database says of its sealed columns is older than the release: it was changed "
                + "\(changes) times, and \(released) times by then"
        case .registryNewer(let changes, let released):
            "what the database says of its sealed columns was changed since the release: \(changes) times, "
                + "and \(released) times by then"
        case .registryOther: "what the database says of its sealed columns is not what was released"
        case .tableMissing(let table): "the table \(table) is gone"
        case .tableOther(let table):
            "the table \(table) has another primary key than the release, or other columns"
        case .rowsMissing(let table, let count):
            "\(table) lacks \(counted(Int(clamping: count), "row")) of the release"
        case .rowsAdded(let table, let count):
            "\(table) has \(counted(Int(clamping: count), "row")) more than the release"
        case .rowsChanged(let table):
            "\(table) has as many rows as the release, and not the same: sealed values or keys were changed"
        case .plainChanged(let table):
            "\(table) has the keys and sealed values of the release, but plain values or tokens of blind "
                + "indexes were changed"
        case .indexMissing(let table, let index): "the index \(index) of \(table) is gone"
        case .indexAdded(let table, let index):
            "\(table) has an index \(index) that the release does not have"
        case .indexChanged(let table, let index):
            "the index \(index) of \(table) is defined in another way than in the release"
        case .schemaChanged(let definitions, let released):
            "the schema is not that of the release: \(Self.schemas(definitions, released)); `lockstep verify` "
                + "with the migrations shows which definitions differ"
        }
    }

    private static func schemas(_ definitions: UInt64, _ released: UInt64) -> String {
        guard definitions == released else {
            return
                "it has \(counted(Int(clamping: definitions), "definition")), and the release \(released)"
        }
        return "a table, view, trigger or index was changed or replaced"
    }
}
