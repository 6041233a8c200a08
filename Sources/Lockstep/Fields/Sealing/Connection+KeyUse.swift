/// What the sealed columns of a database need of one version of a key.
extension Connection {
    /// The columns of a dataset, as `table.column`, that have cells under a version of the field key, or blind indexes
    /// under a version of the index key.
    func columns(
        under kind: KeyKind, _ version: UInt32, _ keys: FieldKeys
    ) throws -> [String] {
        try with(rights: .engine) {
            try read { connection in
                guard let registry = try RegistryTables.read(keys, connection) else { return [] }
                let sealed = registry.columns.filter { $0.state != .plaintext && !$0.name.isEmpty }
                return try sealed.filter { column in
                    guard kind == .field else {
                        return column.indexes.contains { $0.index.keyVersion == version }
                    }
                    guard let shape = try SealedTable(column.table, connection) else {
                        return false
                    }
                    return try CellKeySearch(
                        shape: shape, column: column.name, mode: column.mode, wanted: .under(version)
                    ).isAny(connection)
                }.map(\.title)
            }
        }
    }

    /// Writes a dataset's registry again, with MACs under the active field key, if they are under `version`.
    /// - Returns: Whether it was written.
    func renewRegistry(from version: UInt32, _ keys: FieldKeys) throws -> Bool {
        try with(rights: .engine) {
            try write { connection in
                guard var registry = try RegistryTables.read(keys, connection),
                    registry.keyVersion == version
                else { return false }
                try RegistryTables.write(&registry, keys, connection)
                try connection.sealed?.adopt(registry, keys, connection)
                return true
            }
        }
    }
}
