/// Runs a script that takes several transactions. Each of them records the progress of the version: after a crash
/// at any point, the next run continues after the last committed transaction.
///
/// Between two transactions other connections can write, and another runner can take over. The progress is
/// therefore read again each time, under the write lock.
struct SegmentedRun {
    let step: StepRun
    let script: MigrationScript
    let origin: ScriptOrigin

    /// The state after a transaction.
    enum Outcome {
        case more
        case done
        /// Another runner has finished the version.
        case overtaken
    }

    /// - Returns: The number of statements that ran, where a batch counts as one; nil if another runner has
    ///   finished the version.
    func run(
        _ connection: borrowing Connection, _ known: inout GuardCache?,
        _ isStillPending: StepRun.IsStillPending
    ) throws -> Int? {
        guard script.takesDoubleQuotedTexts else {
            return try runSegments(connection, &known, isStillPending)
        }
        return try connection.takingDoubleQuotedTexts {
            try runSegments(connection, &known, isStillPending)
        }
    }

    private func runSegments(
        _ connection: borrowing Connection, _ known: inout GuardCache?, _ isStillPending: StepRun.IsStillPending
    ) throws -> Int? {
        let segments = try script.segments(origin)
        var state = RunState(segments: segments, completed: try CompletedPart(segments), time: WorkTime(connection))
        try requireKeys(of: state.segments, connection)
        // What commits in parts cannot be undone as a whole, so the later parts are tried first.
        if try recorded(connection, state) == nil {
            try MigrationTrial.require(step.step, of: step.set, on: connection, moved: known?.movedTables ?? [])
        }
        while true {
            let outcome = try advance(connection, &known, &state, isStillPending)
            switch outcome {
            case .overtaken: return nil
            case .done: return state.statements
            case .more:
                try step.observe(.advanced(set: step.set.name, version: step.step.version))
            }
        }
    }

    /// Requires all keys before the version begins.
    private func requireKeys(
        of segments: [MigrationSegment], _ connection: borrowing Connection
    ) throws {
        for case .sealing(let sealing, let line) in segments {
            do throws(LockstepError) {
                _ = try sealing.keys(connection)
            } catch {
                throw origin.located(error, line: line)
            }
        }
    }

    struct RunState {
        let segments: [MigrationSegment]
        let completed: CompletedPart
        let time: WorkTime
        var statements = 0
        var isFirst = true
        /// The completed and total rows of the current backfill in this run.
        var rows: (done: Int, total: Int)?
        /// The progress of the current sealing change.
        var sealing = SealingRun()
    }

    private func advance(
        _ connection: borrowing Connection, _ known: inout GuardCache?, _ state: inout RunState,
        _ isStillPending: StepRun.IsStillPending
    ) throws -> Outcome {
        // Only SQL that cannot run in a transaction runs before one begins.
        let next = try nextBareStatement(connection, state)
        if let next, next.runsAlone { try next.runAlone(connection) }
        try state.sealing.prepare(origin, connection)
        let transaction = try MigrationTransaction.begin(origin, step.timeout, connection, step.observe)
        guard var progress = try progress(connection, &state, isStillPending) else {
            return .overtaken
        }
        if var bare = next {
            guard bare.isStillNext(progress) else { return .more }
            if !bare.runsAlone {
                try checked(connection, &known) { _ in try bare.run(connection, step.observe) }
            }
            progress.cursor = .integer(Int64(bare.end))
            state.statements += bare.count
        } else if progress.segment < state.segments.count {
            try runSegment(connection, &known, &state, &progress)
        }
        let isDone = progress.segment == state.segments.count
        if isDone {
            try step.record(connection, duration: state.time.worked(connection))
        } else {
            progress.completed = try state.completed.digest(
                segment: progress.segment, cursor: progress.cursor,
                hasBegun: state.sealing.hasBegun)
            try MigrationTransaction.note(origin, connection) { connection in
                try MigrationProgress.record(progress, connection)
            }
        }
        try MigrationTransaction.commit(origin, transaction)
        guard isDone else { return .more }
        try step.observe(.committed(set: step.set.name, version: step.step.version))
        return .done
    }

    private func runSegment(
        _ connection: borrowing Connection, _ known: inout GuardCache?, _ state: inout RunState,
        _ progress: inout UnfinishedMigration
    ) throws {
        switch state.segments[progress.segment] {
        case .transaction(let part):
            let isBegun = progress.segment > 0
            state.statements += try checked(connection, &known, canRepeat: true) { isAgain in
                try ScriptRunner(
                    script: part, origin: origin, observe: isAgain ? { _ in } : step.observe, isBegun: isBegun
                ).run(connection)
            }
            progress.segment += 1
        case .backfill(let backfill):
            try runBatch(of: backfill, connection, &known, &state, &progress)
        case .sealing(let sealing, let line):
            try step.observe(.statement(file: origin.title, line: line))
            let isOver = try state.sealing.advance(
                sealing, origin, line: line, connection,
                checked: { body in try checked(connection, &known) { _ in try body() } },
                report: { try step.observe($0) })
            // The measured counts are no longer valid.
            known = known?.stale
            state.statements += 1
            if isOver {
                progress.segment += 1
                state.sealing = SealingRun()
            }
        case .bare:
            // No statement remains in the segment.
            progress.segment += 1
            progress.cursor = .null
        }
    }

    // MARK: Backfills

    private func runBatch(
        of backfill: Backfill, _ connection: borrowing Connection, _ known: inout GuardCache?,
        _ state: inout RunState, _ progress: inout UnfinishedMigration
    ) throws {
        let cursor = progress.cursor
        let allowed = script.tablesAllowedToLoseRows
        let line = backfill.line
        try step.observe(.statement(file: origin.title, line: line))
        func batch() throws -> Backfill.Batch? {
            try located(line) {
                try backfill.runBatch(after: cursor, allowed: allowed, on: connection)
            }
        }
        var counted = state.rows
        let done: Backfill.Batch?
        let later = try counted.flatMap { _ in
            try located(line) { try backfill.condition(after: cursor, on: connection) }
        }
        let part = later.map { SchemaGuard.Part(table: SQLName(backfill.table), condition: $0) }
        if counted == nil {
            let total = try located(line) {
                try BackfillKey(backfill.table, connection).rowsLeft(after: cursor, connection)
            }
            counted = (done: 0, total: total)
            // The first batch gets all checks: to compare all rows after each would read the table once a batch.
            done = try checked(connection, &known) { _ in
                connection.core.watch?.begins(line: line)
                return try batch()
            }
        } else if let part {
            done = try checked(connection, &known, part: part) { _ in
                connection.core.watch?.begins(line: line)
                return try batch()
            }
        } else {
            done = nil
        }
        guard let done else {
            progress.segment += 1
            progress.cursor = .null
            state.rows = nil
            return
        }
        progress.cursor = done.last
        state.statements += 1
        let rows = (done: (counted?.done ?? 0) + done.rows, total: counted?.total ?? 0)
        state.rows = rows
        try step.observe(.backfilled(table: backfill.table, rows: rows.done, total: max(rows.total, rows.done)))
    }

    private func located<Result>(_ line: Int, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as LockstepError {
            let hint =
                error.code == .interrupted
                ? ScriptText.afterInterruption
                : "fix the statement, or the rows of its batch, and run it again: earlier batches stay done"
            throw origin.located(error, line: line, advice: error.advice ?? .init(hint))
        }
    }

    // MARK: Progress

    /// Nil if the version is finished.
    private func progress(
        _ connection: borrowing Connection, _ state: inout RunState, _ isStillPending: StepRun.IsStillPending
    ) throws -> UnfinishedMigration? {
        let found = try recorded(connection, state)
        guard state.isFirst else {
            if found == nil, try isStillPending(connection) {
                throw LockstepError(
                    .migrationUnfinished, "another command has given up \(origin.title) while it ran",
                    hint:
                        "look at what has run, then migrate again: it begins with the first statement",
                    context: origin.context)
            }
            return found
        }
        guard try isStillPending(connection) else { return nil }
        state.isFirst = false
        try step.observe(.began(set: step.set.name, version: step.step.version, isUp: step.step.isUp))
        return found ?? fresh
    }

    /// The recorded progress, as a position in this script.
    private func recorded(
        _ connection: borrowing Connection, _ state: RunState
    ) throws -> UnfinishedMigration? {
        let found = try MigrationProgress.all(connection).first {
            $0.set == step.set.name && $0.version == step.step.version
        }
        guard let found else { return nil }
        guard found.isUp == step.step.isUp else {
            throw LockstepError(
                .migrationUnfinished, "\(origin.title) was begun in the opposite direction",
                hint: found.isUp ? "finish migrating it first" : "finish rolling it back first",
                context: origin.context)
        }
        guard !state.isFirst else { return try continued(found, state) }
        guard found.checksums == fresh.checksums else {
            throw LockstepError(
                .migrationChanged, "another runner continues \(origin.title) with a changed file",
                hint: "run it again with that file", context: origin.context)
        }
        return found
    }

    /// The position in this script after what has run.
    private func continued(
        _ found: UnfinishedMigration, _ state: RunState
    ) throws -> UnfinishedMigration {
        guard found.completed != nil else {
            try requireSameText(found, state)
            return found
        }
        guard let position = try state.completed.position(of: found) else {
            throw PlanFindings.completedPartChanged(found, origin)
        }
        guard try !isSame(found) || state.completed.agrees(with: found) else {
            throw PlanFindings.impossibleProgress(origin)
        }
        var progress = fresh
        (progress.segment, progress.cursor) = (position.segment, position.cursor)
        progress.startedAt = found.startedAt
        return progress
    }

    /// Whether the script is, byte for byte, the one that was started.
    private func isSame(_ found: UnfinishedMigration) -> Bool {
        switch step.step {
        case .up(let migration): migration.checksums.bytes == found.checksums.bytes
        case .down(_, .own), .abandon(_, .own): found.down?.hasSameBytes(as: script.text) == true
        case .down(_, .recorded), .abandon(_, .recorded): true
        }
    }

    private var fresh: UnfinishedMigration {
        let (checksums, down): (MigrationChecksums, String?)
        switch step.step {
        case .up(let migration): (checksums, down) = (migration.checksums, migration.recordedDown)
        case .down(let entry, _): (checksums, down) = (entry.checksums, entry.down)
        case .abandon(let unfinished, _):
            (checksums, down) = (unfinished.checksums, unfinished.down)
        }
        return UnfinishedMigration(
            set: step.set.name, version: step.step.version, name: step.step.name, isUp: step.step.isUp,
            startedAt: Clock.microsecondsSinceEpoch, checksums: checksums, down: down, segment: 0, cursor: .null)
    }

    private func nextBareStatement(
        _ connection: borrowing Connection, _ state: RunState
    ) throws -> NontransactionalStatements? {
        let progress = try recorded(connection, state)
        let segment = progress?.segment ?? 0
        guard state.segments.indices.contains(segment),
            case .bare(let sql, let line) = state.segments[segment]
        else { return nil }
        var start = 0
        if let progress, case .integer(let offset) = progress.cursor {
            start = Int(clamping: offset)
        }
        return try NontransactionalStatements(
            sql, from: start, line: line, segment: segment, origin, isBegun: progress != nil)
    }

    /// For a row of an earlier build, which has no digest of what has run. An offset is valid only in the text that it
    /// refers to, and only at the end of a statement.
    private func requireSameText(
        _ noted: UnfinishedMigration, _ state: RunState
    ) throws(LockstepError) {
        guard noted.segment <= state.segments.count else {
            throw PlanFindings.completedPartChanged(noted, origin)
        }
        guard state.segments.indices.contains(noted.segment), case .bare(let sql, _) = state.segments[noted.segment],
            case .integer(let offset) = noted.cursor
        else { return }
        guard isSame(noted) else {
            throw LockstepError(
                .migrationChanged,
                "\(origin.title) was begun with other comments or white space, "
                    + "and its progress is an offset in the text",
                hint: "restore the original file, byte for byte, until the version is finished",
                context: origin.context)
        }
        guard NontransactionalStatements.endsStatement(at: Int(clamping: offset), of: sql) else {
            throw PlanFindings.impossibleProgress(origin)
        }
    }

    private func checked<Result>(
        _ connection: borrowing Connection, _ known: inout GuardCache?, canRepeat: Bool = false,
        part: SchemaGuard.Part? = nil, _ body: (Bool) throws -> Result
    ) throws -> Result {
        var allowances = step.allowances(script)
        // To count all rows again after each batch would cost more than the batch.
        if part != nil { allowances.shows = false }
        return try MigrationTransaction.checked(
            origin, allowances, connection, &known, report: { try step.observe(.tolerated($0)) },
            shown: { try step.observe(.compared($0)) }, canRepeat: canRepeat, part: part, body)
    }
}
