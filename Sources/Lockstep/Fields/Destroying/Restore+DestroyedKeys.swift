internal import SystemPackage

extension Restore {
    /// Checks that every cell of the backup opens with the keys of a dataset: that none is under a field key that was
    /// destroyed since the backup was made. The restored database could not be read.
    ///
    /// Costs nothing as long as no field key was destroyed, and otherwise a look at the first bytes of each cell.
    /// - Parameters:
    ///   - keys: The dataset's keys.
    ///   - backupKey: The backup's key.
    /// - Throws: ``LockstepError/Code/keyUnavailable``, with the columns; the errors of opening the backup.
    package func requireReadable(_ keys: FieldKeys, backupKey: borrowing DatabaseKey) throws {
        let destroyed = keys.versions.filter { !keys.hasSecret($0) }
        guard !destroyed.isEmpty else { return }
        var reading = ConnectionOptions()
        reading.isQueryOnly = true
        reading.closesFullText = true
        reading.fieldKeys = [keys.withoutMemory()]
        // The backup can be from before the first sealing.
        reading.firstTime = true
        reading.mayBeUnknown = true
        do {
            let connection = try Connection.open(backup, key: backupKey.withoutOrigin(), options: reading)
            for version in destroyed {
                let columns = try connection.columns(under: .field, version, keys)
                guard columns.isEmpty else { throw unreadable(version, columns) }
            }
        } catch let error as LockstepError where error.code == .keyUnavailable {
            // The registry can be under such a key, too.
            throw error.located("\(backup)", hint: Self.advice, context: .file(backup))
        }
    }

    private func unreadable(_ version: UInt32, _ columns: [String]) -> LockstepError {
        LockstepError(
            .keyUnavailable,
            "cells in \(columns.joined(separator: ", ")) are under field key \(version), which was destroyed: "
                + "nobody can read them again",
            hint: Self.advice)
    }

    private static let advice =
        "restore a backup from after the cells were resealed; to have the rest of this one, restore it to another path"
}
