/// In what the database's record of a migration is not what the migration itself says.
///
/// The record is data: anyone with the database's key can write it. So nothing that the file determines is left out.
enum RecordedDifference: Equatable {
    /// The statements, or what code does.
    case statements
    /// Comments or spacing, of the way up or of the way down.
    case spacing
    /// Line endings.
    case lineEndings
    /// The name.
    case name
    /// The way down.
    case down
    /// The checksums cannot all be of one file.
    case checksums

    /// Whether it is more than how a file is written.
    var isFatal: Bool { self != .spacing && self != .lineEndings }

    /// All differences between `migration` and what is recorded of its version.
    static func all(
        _ migration: Migration, name: String, _ checksums: MigrationChecksums, down: String?
    ) -> [RecordedDifference] {
        var differences: [RecordedDifference] = []
        let own = migration.checksums
        switch migration {
        case .code:
            if own != checksums { differences.append(.statements) }
        case .file:
            if let difference = difference(own, checksums) { differences.append(difference) }
        }
        if migration.name != name { differences.append(.name) }
        // Where the file as a whole has changed, its way down may have as well.
        guard !differences.contains(.statements) else { return differences }
        if let difference = difference(migration, checksums, down: down),
            difference.isFatal || differences.allSatisfy(\.isFatal)
        {
            differences.append(difference)
        }
        return differences
    }

    /// Of a file's checksums alone.
    static func difference(
        _ own: MigrationChecksums, _ recorded: MigrationChecksums
    ) -> RecordedDifference? {
        guard own.bytes != recorded.bytes else { return own == recorded ? nil : .checksums }
        guard own.tokens == recorded.tokens else { return .statements }
        return own.text == recorded.text ? .lineEndings : .spacing
    }

    private static func difference(
        _ migration: Migration, _ checksums: MigrationChecksums, down: String?
    ) -> RecordedDifference? {
        let own = migration.recordedDown
        guard own != down else { return nil }
        guard let own, let down else { return .down }
        // A way down in the same file is as it was written, to the byte, if the file is.
        if migration.keepsDownInside, migration.checksums.bytes == checksums.bytes { return .down }
        return MigrationChecksums.areAlike(own, down) ? .spacing : .down
    }
}

extension Migration {
    /// Whether its checksums are also those of its way down.
    fileprivate var keepsDownInside: Bool {
        if case .file(let file) = self { file.downFileName == nil } else { true }
    }

    /// How it differs from a row of the ledger.
    func differences(from entry: LedgerEntry) -> [RecordedDifference] {
        RecordedDifference.all(self, name: entry.name, entry.checksums, down: entry.down)
    }

    /// How it differs from the note of a version that is under way.
    func differences(from unfinished: UnfinishedMigration) -> [RecordedDifference] {
        RecordedDifference.all(
            self, name: unfinished.name, unfinished.checksums, down: unfinished.down)
    }
}
