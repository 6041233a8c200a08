/// A difference between the database's record of a migration and the migration itself.
///
/// The record is data: anyone with the database's key can write it. Therefore the comparison includes everything
/// that the file determines.
enum RecordedDifference: Equatable {
    /// The statements, or the revision of code.
    case statements
    /// Comments or white space, of the way up or the way down.
    case spacing
    /// Line endings.
    case lineEndings
    /// The name.
    case name
    /// The way down.
    case down
    /// The checksums cannot all belong to one file.
    case checksums

    /// Whether more than the formatting of the file differs.
    var isFatal: Bool { self != .spacing && self != .lineEndings }

    /// All differences between `migration` and the record of its version.
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
        if !migration.name.hasSameBytes(as: name) { differences.append(.name) }
        // If the file as a whole has changed, its way down can have changed as well.
        guard !differences.contains(.statements) else { return differences }
        if let difference = difference(migration, checksums, down: down),
            difference.isFatal || differences.allSatisfy(\.isFatal)
        {
            differences.append(difference)
        }
        return differences
    }

    /// Compares only the checksums of the file.
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
        guard !own.hasSameBytes(as: down) else { return nil }
        guard let own, let down else { return .down }
        // A way down in the same file is unchanged, byte for byte, if the file is.
        if migration.keepsDownInside, migration.checksums.bytes == checksums.bytes { return .down }
        return MigrationChecksums.areAlike(own, down, migration.lexis) ? .spacing : .down
    }
}

extension Migration {
    fileprivate var lexis: Lexis { if case .file(let file) = self { file.lexis } else { .sqlite } }

    /// Whether its checksums also cover its way down.
    fileprivate var keepsDownInside: Bool {
        if case .file(let file) = self { file.downFileName == nil } else { true }
    }

    /// The differences from a row of the ledger.
    func differences(from entry: LedgerEntry) -> [RecordedDifference] {
        RecordedDifference.all(self, name: entry.name, entry.checksums, down: entry.down)
    }

    /// The differences from the record of an unfinished version.
    func differences(from unfinished: UnfinishedMigration) -> [RecordedDifference] {
        RecordedDifference.all(self, name: unfinished.name, unfinished.checksums, down: unfinished.down)
    }
}
