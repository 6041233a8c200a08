/// The formats of a registry: see RegistryTables.swift.
enum RegistryFormat: Int, Sendable {
    /// Belongs to no database in particular.
    case first = 1
    /// Belongs to a database.
    case second
    /// Has an identity of its own, and so have its columns.
    case third

    /// The identity of a registry that was in the second format: the first 16 bytes of SHA-256 over the label
    /// `registry/3`, the dataset and the id of its database.
    static func identity(
        from database: [UInt8], _ dataset: [UInt8]
    ) throws(LockstepError) -> [UInt8] {
        var message = AuthenticatedMessage("registry/3")
        message.add(dataset)
        message.add(database)
        return Array(try message.digest().prefix(CellOwner.identityLength))
    }
}
