/// The MACs of a registry, each over the fields that ``RegistryTables`` lists.
struct RegistryCodes {
    /// One for each column, in the registry's order.
    private(set) var columns: [[UInt8]] = []
    /// One for each blind index, by column and number.
    private(set) var indexes: [[UInt8]] = []
    private(set) var set: [UInt8] = []

    /// - Throws: ``LockstepError/Code/keyUnavailable`` if the keyring does not have the field key of this version.
    init(
        _ registry: ColumnRegistry, _ keys: FieldKeys, _ version: UInt32
    ) throws(LockstepError) {
        let key = try keys.registryKey(version)
        let mac = try HMAC(.sha256, key: key.bytes)
        for column in registry.columns {
            var message = AuthenticatedMessage("column/3")
            message.add(registry.dataset)
            message.add(registry.identity ?? [])
            message.add(UInt64(column.id))
            for text in [
                column.table, column.name, column.mode.rawValue, column.state.rawValue,
            ] { message.add(Array(text.utf8)) }
            message.add(UInt64(column.padding.unit))
            message.add(column.cursor)
            message.addOptional(column.rowKey?.spelling)
            message.addOptional(column.identity)
            columns.append(try message.code(mac))
        }
        for one in registry.columns.flatMap(\.indexes) {
            var message = AuthenticatedMessage("index/3")
            message.add(registry.dataset)
            message.add(registry.identity ?? [])
            message.add(UInt64(one.index.column))
            message.add(UInt64(one.index.number))
            message.add(Array(one.name.utf8))
            message.add(Array(one.normaliser.spelling.utf8))
            message.add(UInt64(one.index.bits))
            message.add(UInt64(one.index.keyVersion))
            message.add(keys.indexCommitment(one.index.keyVersion) ?? [])
            indexes.append(try message.code(mac))
        }
        var message = AuthenticatedMessage("set/4")
        message.add(registry.dataset)
        message.add(registry.identity ?? [])
        message.add(registry.database ?? [])
        message.add(registry.changes)
        message.addOptional(registry.line.folded)
        message.add(registry.line.codes)
        message.add(UInt64(version))
        message.add(UInt64(columns.count))
        for code in columns { message.add(code) }
        message.add(UInt64(registry.commitments.count))
        for (version, commitment) in registry.commitments.sorted(by: { $0.key < $1.key }) {
            message.add(UInt64(version))
            message.add(commitment)
        }
        message.add(UInt64(indexes.count))
        for code in indexes { message.add(code) }
        set = try message.code(mac)
    }
}
