/// An effect for which a statement is looked for.
struct BlamedEffect: Hashable {
    /// The table's number.
    let number: Int
    let kind: TableEffect.Kind
}

/// The statements after which effects came about, found while the statements of a stopped version run again.
struct EffectBlame {
    let wanted: Set<BlamedEffect>
    /// The statement that ran last.
    var last: BlameTracker.Statement?
    /// Whether that can have changed what is looked for.
    var matters = true
    /// How many more statements are judged: each time the tables are read, while nobody else can write.
    var left = 32
    /// The statement after which an effect was there, and has been since.
    var found: [BlamedEffect: BlameTracker.Statement] = [:]
}

extension SchemaGuard {
    /// Runs the statements of a stopped version again, in a new transaction, to find out which of them is to blame. The
    /// rows are then as they were after the first run.
    func findBlame(_ connection: borrowing Connection, _ again: () throws -> Void) throws {
        let wanted = Set(missing.compactMap(\.effect))
        guard !wanted.isEmpty, let before = knownBefore else { return }
        let (after, done, named, former) = (known, progress, names, namesBefore)
        var (found, seen) = (missing, shown)
        try connection.run(.rollBack)
        try connection.run(.beginImmediate)
        begin(allowances)
        (known, names) = (before, former)
        blame = EffectBlame(wanted: wanted)
        defer {
            core.watch = nil
            blame = nil
            (known, progress, names, missing, shown) = (after, done, named, found, seen)
        }
        try again()
        core.watch = nil
        try judgeLast()
        for index in found.indices {
            if let statement = found[index].effect.flatMap({ blame?.found[$0] }) { found[index].suspect = statement }
        }
    }

    /// Looks which effects are there after the statement that ran last.
    func judgeLast() throws {
        guard let wanted = blame?.wanted, let last = blame?.last, blame?.matters == true else { return }
        guard let left = blame?.left, left > 0 else {
            // The last statement that changed the table is to blame then.
            blame?.found = [:]
            return
        }
        blame?.left = left - 1
        let catalogue = try SchemaCatalogue(core)
        var present: Set<BlamedEffect> = []
        for number in Set(wanted.map(\.number)) {
            guard let table = progress.touched[number], table.isChanging else { continue }
            for effect in try effects(on: number, table, catalogue) {
                present.insert(BlamedEffect(number: number, kind: effect.kind))
            }
        }
        for effect in wanted {
            // While a table is being replaced, its rows can first seem to be gone.
            let other = BlamedEffect(number: effect.number, kind: .rowsGone)
            if !present.contains(effect) && !present.contains(other) {
                blame?.found[effect] = nil
            } else if blame?.found[effect] == nil {
                blame?.found[effect] = last
            }
        }
    }
}
