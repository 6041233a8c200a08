internal import Lockstep

/// What a database says of its sealed columns, as it is copied: the rows of all registries, and the manifests.
struct SealedRegistries {
    let records: [RegistryRecords]
    /// The columns that the rows claim to be sealed.
    let columns: [SealedColumn]
    /// The manifests by dataset.
    let manifests: [(dataset: [UInt8], text: [UInt8])]

    /// - Throws: `LockstepError.Code.misuse` for a registry of an earlier build, and for a column whose storage is
    ///   being changed.
    init(in file: borrowing Connection) throws {
        let records = try file.with(rights: .engine) {
            try RegistryTables.datasets(file).compactMap {
                try RegistryTables.records(of: $0, file)
            }
        }
        try self.init(records, try Manifest.storedTexts(in: file))
    }

    init(
        _ records: [RegistryRecords], _ manifests: [(dataset: [UInt8], text: [UInt8])]
    ) throws {
        guard records.allSatisfy(\.isPresentFormat) else {
            throw LockstepError(
                .misuse, "the registry of sealed columns is from an earlier build, whose format is not read any more",
                hint: "seal the columns again in a new database")
        }
        columns = try records.flatMap {
            try RegistryRecords.claimed($0.columns, $0.indexes).filter { !$0.name.isEmpty }
        }
        if let moving = columns.first(where: { $0.state != .sealed }) {
            throw LockstepError(
                .misuse, "\(moving.title) is \(moving.state.rawValue)",
                hint: "finish this change first: a copy needs fully sealed columns", context: moving.context)
        }
        (self.records, self.manifests) = (records, manifests)
    }
}

extension SealedColumn {
    /// Gives an empty table's column the shape of a sealed one, unless it has it.
    func shape(in schema: String, _ server: borrowing ServerConnection) throws {
        guard let shape = try ServerTable(table, in: schema, server), shape.shape.column(name) != nil else {
            throw LockstepError(
                .typeMismatch, "the sealed column \(title) is not on the server",
                hint: "give the set a file for the other engine that makes the same columns", context: context)
        }
        guard !isSealed(toAnotherKeyThan: shape.shape.key) else {
            throw LockstepError(
                .typeMismatch,
                "\(table) has another primary key on the server, and the cells of \(title) are sealed to it",
                hint: "declare the same key in the set's file for the other engine", context: context)
        }
        let sealing = ServerShape(shape, self)
        if try !sealing.stands(server) { try sealing.make(server) }
    }
}
