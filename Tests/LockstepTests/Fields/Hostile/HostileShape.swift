/// What an operator does to a schema; a hostile schema is some of these together.
enum HostileShape: String, CaseIterable, Sendable {
    // What stands in a table's own text.
    case expressionDefault, literalDefault, changedDefault, generatedVirtual, generatedStored
    case check, columnCheck, collation, conflictClause, keyClause, strictTable, addedColumn
    // What is renamed, or stands in for something else.
    case tableCase, renamedTable, renamedColumn, swappedColumns, tokenGenerated, sealedGenerated
    case twinName, replacedByView, replacedByVirtualTable, openName, pragmaName, schemaName
    // What runs when rows change.
    case trigger, recursiveTrigger, raisingTrigger, insteadOfTrigger, engineTrigger
    case droppedGuards, fakeGuard, foreignKey
    // What is computed, or read.
    case partialIndex, expressionIndex, view, statistics, sequence
    // Other modules.
    case fts5Content, fts5Contentless, fts5Triggers, fts4Functions, fts4Content, rtree

    /// Whether rows that the program writes may be changed, left out or removed by it.
    var changesRows: Bool {
        switch self {
        case .trigger, .recursiveTrigger, .raisingTrigger, .engineTrigger, .conflictClause,
            .keyClause, .foreignKey, .replacedByView, .replacedByVirtualTable, .renamedColumn,
            .swappedColumns, .droppedGuards, .collation, .fakeGuard, .sealedGenerated, .sequence,
            .renamedTable, .insteadOfTrigger:
            true
        default: false
        }
    }

    /// Whether it takes what the blind indexes say away from the program.
    var hidesRows: Bool { self == .tokenGenerated || changesRows }
}
