/// Whether a database is what its publisher has released, dataset by dataset.
public struct ManifestReport: Sendable, Hashable {
    /// Of one dataset.
    public struct Outcome: Sendable, Hashable {
        /// Its 16-byte identifier; nil where the database has none.
        public let dataset: [UInt8]?
        /// The manifest, if the publisher has signed it.
        public internal(set) var manifest: Manifest?
        /// What is not as it was released; empty if all is.
        public internal(set) var findings: [Finding] = []
    }

    /// The datasets, by their identifiers; at least one.
    public internal(set) var outcomes: [Outcome]

    /// Everything that is not as it was released.
    public var findings: [Finding] { outcomes.flatMap(\.findings) }
    /// Whether everything is.
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
        case outdated(number: UInt64, least: UInt64)
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
        /// A table has another primary key, or lacks a column.
        case tableOther(String)
        /// So many rows of a table are gone; others may have been changed, too.
        case rowsMissing(table: String, UInt64)
        /// A table has so many more rows; others may have been changed, too.
        case rowsAdded(table: String, UInt64)
        /// Rows of a table are others: forged, changed, swapped, or older ones put back.
        case rowsChanged(table: String)
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
        }
    }

    /// The table that it is about.
    public var table: String? {
        switch self {
        case .tableMissing(let table), .tableOther(let table), .rowsMissing(let table, _),
            .rowsAdded(let table, _), .rowsChanged(let table):
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
        case .outdated(let number, let least):
            "the manifest is of release \(number), and \(least) was seen: an older copy was put back"
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
            "the table \(table) has another primary key, or lacks a column of the release"
        case .rowsMissing(let table, let count):
            "\(table) lacks \(counted(Int(clamping: count), "row")) of the release"
        case .rowsAdded(let table, let count):
            "\(table) has \(counted(Int(clamping: count), "row")) more than the release"
        case .rowsChanged(let table):
            "\(table) has as many rows as the release, and not the same: sealed values or keys were changed"
        }
    }
}
