import Lockstep

/// A release for programs. Fields are only ever added.
struct ReleaseResult: Encodable {
    struct Table: Encodable {
        let table: String
        let rows: UInt64
        /// The sealed columns.
        let columns: [String]
        let tokenColumns: [String]
        let plainColumns: [String]
        let indexes: [String]
    }

    let dataset: String
    let release: UInt64
    let day: String
    let publisher: String
    let registryChanges: UInt64
    let tables: [Table]
    let text: String
    let format: Int
    let definitions: UInt64?
    let notCovered: [String]

    init(_ manifest: Manifest) {
        dataset = Self.name(manifest.dataset)
        release = manifest.number
        day = manifest.day.description
        publisher = manifest.publisher.description
        registryChanges = manifest.registryChanges
        tables = manifest.tables.map {
            Table(
                table: $0.name, rows: $0.rowCount, columns: $0.columnNames,
                tokenColumns: $0.tokenColumnNames, plainColumns: $0.plainColumnNames,
                indexes: $0.indexNames)
        }
        text = manifest.text
        format = manifest.formatVersion
        definitions = manifest.definitionCount
        notCovered = manifest.notCovered
    }

    /// A dataset's identifier in hexadecimal, as the tool prints it.
    static func name(_ dataset: [UInt8]) -> String { Hex.encode(dataset) }

    func writeTitle() { Output.line("release \(release) of \(day), dataset \(dataset)") }

    func show() {
        writeTitle()
        for table in tables {
            Output.line(
                "  \(table.table): \(counted(Int(clamping: table.rows), "row")), sealed in "
                    + table.columns.joined(separator: ", "))
        }
    }
}
