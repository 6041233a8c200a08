import Lockstep

extension Manifest {
    /// The release for programs. Fields are only ever added.
    var json: JSONObject {
        let tables = tables.map { table in
            [
                "table": table.name, "rows": table.rowCount,
                // The sealed columns.
                "columns": table.columnNames, "tokenColumns": table.tokenColumnNames,
                "plainColumns": table.plainColumnNames, "indexes": table.indexNames,
            ] as JSONObject
        }
        return [
            "dataset": Self.name(of: dataset), "release": number, "day": day.description,
            "publisher": publisher.description, "registryChanges": registryChanges, "tables": tables, "text": text,
            "format": formatVersion, "definitions": definitionCount, "notCovered": notCovered,
        ]
    }

    /// A dataset's identifier in hexadecimal, as the tool prints it.
    static func name(of dataset: [UInt8]) -> String { Hex.encode(dataset) }

    func writeTitle() {
        Output.line("release \(number) of \(day), dataset \(Self.name(of: dataset))")
    }

    func show() {
        writeTitle()
        for table in tables {
            Output.line(
                "  \(table.name): \(counted(Int(clamping: table.rowCount), "row")), sealed in "
                    + table.columnNames.joined(separator: ", "))
        }
    }
}
