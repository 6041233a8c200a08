/// An operator's change to a schema; a hostile schema combines several.
enum HostileShape: String, CaseIterable, Sendable {
    // Changes in a table's own text.
    case expressionDefault, literalDefault, changedDefault, generatedVirtual, generatedStored
    case check, columnCheck, collation, conflictClause, keyClause, strictTable, addedColumn
    // Renamed objects, and objects in the place of others.
    case tableCase, renamedTable, renamedColumn, swappedColumns, tokenGenerated, sealedGenerated
    case twinName, replacedByView, replacedByVirtualTable, openName, pragmaName, schemaName
    // Code that runs when rows change.
    case trigger, recursiveTrigger, raisingTrigger, insteadOfTrigger, engineTrigger
    case droppedGuards, fakeGuard, foreignKey
    // Computed values and reads.
    case partialIndex, expressionIndex, view, statistics, sequence
    // Other modules.
    case fts5Content, fts5Contentless, fts5Triggers, fts4Functions, fts4Content, rtree

    /// Whether it can change, omit or remove rows that the program writes.
    var changesRows: Bool {
        switch self {
        case .trigger, .recursiveTrigger, .raisingTrigger, .engineTrigger, .conflictClause, .keyClause, .foreignKey,
            .replacedByView, .replacedByVirtualTable, .renamedColumn, .swappedColumns, .droppedGuards, .collation,
            .fakeGuard, .sealedGenerated, .sequence, .renamedTable, .insteadOfTrigger:
            true
        default: false
        }
    }

    /// Whether it withholds the result of the blind indexes from the program.
    var hidesRows: Bool { self == .tokenGenerated || changesRows }
}
