@testable import EngineTestSupport
@testable import Lockstep

extension OperatorMutation {
    /// Rows of the registry, one at a time.
    static let registryRows: [OperatorMutation] = [
        OperatorMutation("a registry value changed") { connection, dice in
            try changeAny(in: dice.pick(RegistryRows.names), connection, &dice)
        },
        OperatorMutation("a registry value changed, twice") { connection, dice in
            for _ in 0..<2 {
                try changeAny(in: dice.pick(RegistryRows.names), connection, &dice)
            }
        },
        OperatorMutation("a registry row deleted") { connection, dice in
            try deleteAny(from: dice.pick(RegistryRows.names), connection, &dice)
        },
        OperatorMutation("a registry row added") { connection, dice in
            try addAny(to: dice.pick(RegistryRows.names), connection, &dice)
        },
        OperatorMutation("a registry table emptied") { connection, dice in
            try connection.execute("DELETE FROM main.\(name: dice.pick(RegistryRows.names))")
        },
        OperatorMutation("a registry table dropped") { connection, dice in
            try connection.execute("DROP TABLE main.\(name: dice.pick(RegistryRows.names))")
        },
        OperatorMutation("a registry table is a view") { connection, dice in
            let table = try dice.pick(RegistryRows.names)
            try connection.execute("ALTER TABLE main.\(name: table) RENAME TO kept")
            try connection.execute("CREATE VIEW main.\(name: table) AS SELECT * FROM kept")
        },
        OperatorMutation("a column is said to be in another state") { connection, dice in
            let state = try dice.pick(["plaintext", "migrating", "sealed", "unsealing"])
            try connection.execute(
                "UPDATE main.lockstep_column SET state = ?, cursor = ? WHERE id = ?", state,
                dice.flip() ? nil : dice.number(0...12), dice.number(1...5))
        },
        OperatorMutation("a column has another one's row") { connection, dice in
            let (one, other) = (dice.number(1...5), dice.number(1...5))
            guard one != other else { throw Nothing() }
            for column in ["table_name", "name", "mode", "padding", "state", "mac", "row_key"] {
                try connection.execute(
                    """
                    UPDATE main.lockstep_column SET \(name: column) =
                        (SELECT \(name: column) FROM main.lockstep_column WHERE id = ?) WHERE id = ?
                    """, other, one)
            }
        },
    ]

    /// The registry as a whole.
    static let registryStates: [OperatorMutation] = [
        OperatorMutation("the registry emptied") { connection, _ in
            for table in RegistryRows.names {
                try connection.execute("DELETE FROM main.\(name: table)")
            }
        },
        OperatorMutation("the registry emptied, the guards dropped") { connection, _ in
            try strip(connection)
        },
        OperatorMutation("the registry and the memory emptied, the guards dropped") {
            connection, _ in
            try strip(connection)
            try connection.execute("DELETE FROM main.lockstep_keyring")
        },
        OperatorMutation("the registry dropped, the guards dropped") { connection, _ in
            try connection.dropGuards()
            for table in RegistryRows.names {
                try connection.execute("DROP TABLE main.\(name: table)")
            }
        },
        OperatorMutation("the registry emptied, the guards dropped, another id") {
            connection, dice in
            try strip(connection)
            try connection.execute(
                "UPDATE main.lockstep_keyring SET database = ? WHERE ring = zeroblob(16)", dice.bytes(16))
        },
        OperatorMutation("an older complete registry") { connection, dice in
            try dice.pick(dice.prototype.states.dropLast()).write(connection)
        },
        OperatorMutation("an older complete registry, the guards dropped") { connection, dice in
            try dice.pick(dice.prototype.states.dropLast()).write(connection)
            try connection.dropGuards()
        },
        OperatorMutation("one table of an older registry") { connection, dice in
            let state = try dice.pick(dice.prototype.states.dropLast())
            try dice.pick(state.tables).write(connection)
        },
        OperatorMutation("an older registry that says it is as new") { connection, dice in
            try dice.pick(dice.prototype.states.dropLast()).write(connection)
            try connection.execute("UPDATE main.lockstep_dataset SET changes = changes + ?", dice.number(1...20))
        },
        OperatorMutation("the registry of another database of the dataset") { connection, dice in
            try dice.prototype.otherDatabase.registry.write(connection)
            if dice.flip() { try connection.dropGuards() }
        },
        OperatorMutation("the registry and the id of another database of the dataset") {
            connection, dice in
            let other = dice.prototype.otherDatabase
            if dice.flip() { try connection.dropGuards() }
            // With fewer sealed columns, programs would write plaintext to the others.
            try (dice.flip() ? other.registry : other.earlier).write(connection)
            try connection.execute("UPDATE main.lockstep_keyring SET database = ? WHERE ring = zeroblob(16)", other.id)
        },
        OperatorMutation("the registry of another database, as if it had been changed in this one") {
            connection, dice in
            try dice.prototype.otherDatabase.registry.write(connection)
            try connection.execute(
                """
                UPDATE main.lockstep_dataset SET database =
                    (SELECT database FROM main.lockstep_keyring WHERE ring = zeroblob(16))
                """)
        },
        OperatorMutation("the line of earlier states cut, looped, or without a limit") { connection, dice in
            let statements = [
                "earlier = substr(earlier, 33)", "earlier = substr(earlier, 1, length(earlier) - 32)",
                "earlier = CAST(earlier || earlier AS BLOB), changes = 2 * changes - 1",
                "earlier = CAST(earlier || mac AS BLOB), changes = changes + 1", "earlier = x''",
                "folded = zeroblob(32)",
                "earlier = substr(earlier, 33), folded = zeroblob(32)", "earlier = zeroblob(2097184)",
            ]
            let statement = try dice.pick(statements)
            try connection.execute("UPDATE main.lockstep_dataset SET \(verbatim: statement)")
        },
        OperatorMutation("the registry of another dataset") { connection, dice in
            try dice.prototype.otherDataset.registry.write(connection)
        },
        OperatorMutation("the registry of another dataset beside this one's") { connection, dice in
            for table in dice.prototype.otherDataset.registry.tables { try table.add(connection) }
        },
        OperatorMutation("the registry of another dataset under this one's id") {
            connection, dice in
            let id = try connection.value("SELECT dataset FROM main.lockstep_dataset", as: [UInt8].self)
            try dice.prototype.otherDataset.registry.write(connection)
            for table in RegistryRows.names {
                try connection.execute("UPDATE main.\(name: table) SET dataset = ?", id ?? [])
            }
        },
        OperatorMutation("the columns of later formats dropped") { connection, _ in
            try FormerFormat.dropColumns(connection)
        },
        OperatorMutation("the columns of later formats NULL") { connection, dice in
            if dice.flip() {
                let column = try dice.pick(["registry", "database", "earlier"])
                try connection.execute("UPDATE main.lockstep_dataset SET \(name: column) = NULL")
            }
            let column = dice.flip() ? "row_key" : "identity"
            try connection.execute("UPDATE main.lockstep_column SET \(name: column) = NULL")
        },
    ]

    private static func strip(_ connection: borrowing Connection) throws {
        try connection.dropGuards()
        for table in RegistryRows.names {
            try connection.execute("DELETE FROM main.\(name: table)")
        }
    }
}
