internal import SystemPackage

extension StoreOpening {
    /// What is there before anything is made.
    private enum Beginning {
        /// The database: another program was faster.
        case made
        /// Neither a keyring nor a database.
        case nothing
        /// A keyring that records the database, or no database at all.
        case keyring
    }

    /// Makes the database and what it needs, unless another program does.
    /// - Returns: Whether this program made it.
    func make() throws -> Bool {
        guard try beginning() != .made, let slots = try newSlots() else {
            return try alreadyMade()
        }
        return try DatabaseCreation.run(of: path, under: file) {
            switch try beginning() {
            case .made: return try alreadyMade()
            case .nothing: try make(slots, isBegun: false)
            case .keyring: try make(slots, isBegun: true)
            }
            return true
        }
    }

    /// The slots of new keyrings; nil if another program has made the database in the meantime.
    private func newSlots() throws -> NewSlots? {
        do {
            return try NewSlots(self, isNew: true)
        } catch let error as LockstepError
            where error.code == .alreadyExists && FileAccess.exists(path)
        {
            return nil
        }
    }

    private func beginning() throws -> Beginning {
        if FileAccess.exists(path) { return .made }
        guard file.exists else {
            try requireNewDatasets()
            return .nothing
        }
        let databases = try file.summary().databases
        // Another program can have made it since.
        if FileAccess.exists(path) { return .made }
        let isAwaited = try file.awaitsDatabase(at: path)
        guard mode == .new || isAwaited || !databases.contains(where: \.isMade) else {
            throw databaseMissing
        }
        return .keyring
    }

    /// Checks that no fields keyring beside the missing keyring of the database remembers one.
    private func requireNewDatasets() throws {
        for dataset in datasets where dataset.keyring == nil {
            let file = try fieldsFile(dataset)
            guard try file.exists && !file.summary().databases.isEmpty,
                // Another program makes all of them in the meantime.
                !self.file.exists, !FileAccess.exists(path)
            else { continue }
            throw LockstepError(
                .databaseMissing,
                "the fields keyring \(file.path) remembers a database, but there is none at \(path), and no keyring of it",
                hint: "put the database and its keyring back, or move the fields keyring away", context: .file(path))
        }
    }

    private func alreadyMade() throws -> Bool {
        guard mode != .new else {
            throw LockstepError(
                .alreadyExists, "there is already something at \(path)",
                hint: "open it with the mode `.existing`, or choose another path", context: .file(path))
        }
        return false
    }

    private func make(_ slots: NewSlots, isBegun: Bool) throws {
        var made: [KeyringFile] = []
        do {
            if !isBegun {
                var keyring = try Keyring.create(.database)
                try keyring.listNewDatabase(at: file.spelling(of: path))
                try slots.add(to: &keyring, of: file, key)
                try file.create(keyring)
                made.append(file)
                keep(try file.opened(keyring))
            }
            let database = try openDatabaseKeyring()
            for dataset in datasets {
                let file = try fieldsFile(dataset)
                if file.exists {
                    _ = try openFields(dataset)
                } else {
                    try make(dataset, file, slots)
                    made.append(file)
                }
            }
            let key = try file.list(newDatabase: path, &database.keyring)
            if let id = key.origin?.newDatabase {
                for dataset in datasets { try openFields(dataset).note(unsealed: id) }
            }
            let connection = try Connection.create(path, key: key)
            try database.keyring.settle(connection, in: file)
        } catch {
            // Without their database they would only block the next attempt with another key.
            if !FileAccess.exists(path) { for file in made { file.removeUnused() } }
            throw error
        }
    }

    private func make(_ dataset: Dataset, _ file: KeyringFile, _ slots: NewSlots) throws {
        var keyring = try Keyring.create(.fields)
        try slots.add(to: &keyring, of: file, dataset.key ?? key)
        try AtomicFile.createFolder(file.folder)
        try file.create(keyring)
        try keep(file.opened(keyring), of: dataset)
    }

    // MARK: Datasets that are new to a database

    /// The fields keyrings; those that are missing are made.
    func openOrMakeFields() throws -> [OpenedFields] {
        if try datasets.contains(where: { try !fieldsFile($0).exists }) {
            let slots = try NewSlots(self, isNew: false)
            try DatabaseCreation.run(of: path, under: file) { try makeMissing(slots) }
        }
        return try datasets.map(openFields)
    }

    private func makeMissing(_ slots: NewSlots) throws {
        let missing = try datasets.filter { try !fieldsFile($0).exists }
        guard let first = missing.first else { return }
        let there = try datasets.filter { try fieldsFile($0).exists }.map(openFields)
        try requireNothingSealed(besides: there, openDatabaseKeyring(), first)
        for dataset in missing { try make(dataset, fieldsFile(dataset), slots) }
    }
}

/// The slots of the keyrings that an opening makes, all of them asked for before anything is made.
private final class NewSlots {
    /// By the places of the keyrings. A key file that is yet to be made has none.
    private var slots: [FilePath: KeySource.NewSlot] = [:]

    /// - Parameter isNew: Whether the database is made, too.
    /// - Throws: Whatever keeps a file from being made: a folder that does not exist, that is read-only or that others
    ///   can write to; a credential that cannot be had; what is left of another database.
    init(_ opening: StoreOpening, isNew: Bool) throws {
        if isNew {
            try FileAccess.requireWritable(AtomicFile.parent(of: opening.path))
            try PendingDatabase.requireFree(opening.path)
            try ask(opening.key, for: opening.file)
        }
        for dataset in opening.datasets {
            try ask(dataset.key ?? opening.key, for: opening.fieldsFile(dataset))
        }
    }

    private func ask(_ source: KeySource, for file: KeyringFile) throws {
        guard !file.exists else { return }
        try file.requireRoom()
        slots[file.path] = try source.newSlot()
    }

    func add(to keyring: inout Keyring, of file: KeyringFile, _ source: KeySource) throws {
        if slots[file.path] == nil {
            try source.makeKeyFile()
            slots[file.path] = try source.newSlot()
        }
        guard let slot = slots[file.path] else { return }
        if let recipient = slot.credential.recipient {
            try keyring.addSlot(slot.name, for: recipient)
        } else {
            try keyring.addSlot(slot.name, slot.credential, cost: slot.cost)
        }
    }
}

extension KeyringFile {
    /// Checks that a keyring can be made there; its folder can be made, too.
    fileprivate func requireRoom() throws {
        guard FileAccess.exists(folder) else {
            return try FileAccess.requireWritable(AtomicFile.parent(of: folder))
        }
        try FileAccess.requireOwnFolder(folder)
        try FileAccess.requireWritable(folder)
    }
}
