/// The result of comparing a database with its publisher's releases, dataset by dataset.
public struct ManifestReport: Sendable, Hashable {
    /// The result for one dataset.
    public struct Outcome: Sendable, Hashable {
        /// Its 16-byte identifier; nil if the database names no dataset.
        public let dataset: [UInt8]?
        /// The manifest, if the publisher signed it.
        public internal(set) var manifest: Manifest?
        /// The parts that were compared with it; nil without such a manifest.
        public internal(set) var compared: Comparison?
        /// The differences from the release; empty if there are none in the compared parts.
        public internal(set) var findings: [Finding] = []

        /// Information for the reader in addition to the findings; nil if there is none.
        public var notice: String? { advice?.text }

        /// The notice, with the actions that it names.
        package var advice: LockstepError.Advice? {
            guard let manifest, manifest.version == .first else { return nil }
            return """
                the manifest has version 1, which does not cover \
                \(Manifest.firstOmissions.joined(separator: "; ")). Its publisher can write version 2 with \
                \(.makeRelease)
                """
        }
    }

    /// The parts of a database that were compared with a release.
    public struct Comparison: Sendable, Hashable {
        /// The tables of the release that the database has with the same columns and key.
        public internal(set) var tables: [Table] = []
        /// The number of definitions in the schema, without the tables' indexes; nil if they were not compared.
        public internal(set) var definitionCount: UInt64?
        /// The parts that were not compared, as text.
        public let notCompared: [String]

        /// A table that was compared.
        public struct Table: Sendable, Hashable {
            /// Its name.
            public let name: String
            /// The number of its rows in the database.
            public let rowCount: UInt64
            /// The columns whose values were compared in each row.
            public let columns: [String]
            /// The indexes of the release, whose definitions were compared.
            public let indexes: [String]
        }
    }

    /// The results, in the order of the datasets' identifiers; at least one.
    public internal(set) var outcomes: [Outcome]
    /// When the comparison began, and how long it took.
    public internal(set) var time = JobTime()

    /// The differences from the releases in all compared parts.
    public var findings: [Finding] { outcomes.flatMap(\.findings) }
    /// Whether all compared parts are as released. ``Outcome/compared`` lists these parts.
    public var isClean: Bool { findings.isEmpty }

    /// A difference from the release. It names tables, never a value.
    public enum Finding: Sendable, Hashable {
        /// The database has no manifest.
        case missing
        /// The manifest's text breaks the format, for this reason.
        case malformed(String)
        /// Another publisher signed the manifest.
        case foreignPublisher(Publisher)
        /// The signature does not match the text.
        case forged
        /// The manifest belongs to another dataset.
        case otherDataset
        /// The manifest's release is older than the minimum.
        case outdated(number: UInt64, minimum: UInt64)
        /// The registry of sealed columns is missing.
        case registryMissing
        /// The registry of sealed columns is older than the release.
        case registryOlder(changes: UInt64, released: UInt64)
        /// The registry of sealed columns changed after the release.
        case registryNewer(changes: UInt64, released: UInt64)
        /// The registry of sealed columns differs from the released one.
        case registryOther
        /// A table is missing.
        case tableMissing(String)
        /// A table's primary key or columns differ.
        case tableOther(String)
        /// This many rows of a table are missing; others might have changed, too.
        case rowsMissing(table: String, UInt64)
        /// A table has this many more rows; others might have changed, too.
        case rowsAdded(table: String, UInt64)
        /// Rows of a table differ: forged, changed, swapped, or replaced by older ones.
        case rowsChanged(table: String)
        /// A table's keys and sealed values are those of the release, but its tokens or plain values are not.
        case plainChanged(table: String)
        /// An index of a table is missing.
        case indexMissing(table: String, index: String)
        /// A table has an index that the release does not have.
        case indexAdded(table: String, index: String)
        /// The definition of a table's index differs.
        case indexChanged(table: String, index: String)
        /// The schema differs, apart from the tables' indexes: a definition was added, changed or dropped.
        case schemaChanged(definitions: UInt64, released: UInt64)
    }
}

extension ManifestReport.Finding {
    /// A stable code for programs.
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

    /// The table that the finding is about.
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
    /// A description for people.
    public var description: String {
        switch self {
        case .missing:
            "the database has no manifest: the release was never signed, or somebody removed the manifest"
        case .malformed(let what): what
        case .foreignPublisher(let publisher): "the manifest is signed by \(publisher)"
        case .forged: "the manifest's signature does not match its text"
        case .otherDataset: "the manifest belongs to another dataset"
        case .outdated(let number, let minimum):
            "the manifest is of release \(number), but release \(minimum) was already seen: somebody put an "
                + "older copy back"
        case .registryMissing: "the registry of sealed columns is missing"
        case .registryOlder(let changes, let released):
            "the registry of sealed columns is older than the release: it has "
                + "\(counted(Int(clamping: changes), "change")), the release has \(released)"
        case .registryNewer(let changes, let released):
            "the registry of sealed columns changed after the release: it has "
                + "\(counted(Int(clamping: changes), "change")), the release has \(released)"
        case .registryOther: "the registry of sealed columns differs from the released one"
        case .tableMissing(let table): "the table \(table) is missing"
        case .tableOther(let table):
            "the primary key or the columns of the table \(table) differ from the release"
        case .rowsMissing(let table, let count):
            "\(table) lacks \(counted(Int(clamping: count), "row")) of the release"
        case .rowsAdded(let table, let count):
            "\(table) has \(counted(Int(clamping: count), "row")) more than the release"
        case .rowsChanged(let table):
            "\(table) has as many rows as the release, but sealed values or keys were changed"
        case .plainChanged(let table):
            "\(table) has the keys and sealed values of the release, but plain values or tokens of blind "
                + "indexes were changed"
        case .indexMissing(let table, let index): "the index \(index) of \(table) is missing"
        case .indexAdded(let table, let index):
            "\(table) has an index \(index) that the release does not have"
        case .indexChanged(let table, let index):
            "the definition of the index \(index) of \(table) differs from the release"
        case .schemaChanged(let definitions, let released):
            "the schema differs from the release: \(Self.schemas(definitions, released)); a verification "
                + "with the migrations shows which definitions differ"
        }
    }

    private static func schemas(_ definitions: UInt64, _ released: UInt64) -> String {
        guard definitions == released else {
            return "it has \(counted(Int(clamping: definitions), "definition")), the release has \(released)"
        }
        return "a table, view, trigger or index was changed or replaced"
    }
}
