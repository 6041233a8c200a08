/// Runs a script that takes several transactions, each of which notes how far the version has come: killed
/// anywhere, the next run goes on behind the last one that was committed.
///
/// Between two of them others may write, and another runner may take over: how far the version has come is
/// read again each time, under the write lock.
struct SegmentedRun {
    let step: StepRun
    let script: MigrationScript
    let title: String

    /// What is left to do after a transaction.
    enum Outcome {
        case more
        case done
        /// Another runner has ended the version.
        case overtaken
    }

    /// - Returns: How many statements ran, a batch counting as one; nil if another runner has ended it.
    func run(
        _ connection: borrowing Connection, _ known: inout GuardCache?,
        _ isStillDue: StepRun.IsStillDue
    ) throws -> Int? {
        guard script.takesDoubleQuotedTexts else {
            return try runSegments(connection, &known, isStillDue)
        }
        return try connection.takingDoubleQuotedTexts {
            try runSegments(connection, &known, isStillDue)
        }
    }

    private func runSegments(
        _ connection: borrowing Connection, _ known: inout GuardCache?,
        _ isStillDue: StepRun.IsStillDue
    ) throws -> Int? {
        var state = RunState(segments: try script.segments(title))
        try requireKeys(of: state.segments, connection)
        while true {
            let outcome = try advance(connection, &known, &state, isStillDue)
            switch outcome {
            case .overtaken: return nil
            case .done: return state.statements
            case .more:
                try step.observe(.advanced(set: step.set.name, version: step.step.version))
            }
        }
    }

    /// What needs keys that were not given is not begun.
    private func requireKeys(
        of segments: [MigrationSegment], _ connection: borrowing Connection
    ) throws {
        for case .sealing(let sealing, let line) in segments {
            do throws(LockstepError) {
                _ = try sealing.keys(connection)
            } catch {
                throw error.located("\(title):\(line)")
            }
        }
    }

    struct RunState {
        let segments: [MigrationSegment]
        let start = Clock.monotonicMicroseconds
        var statements = 0
        var isFirst = true
        /// How many rows the backfill under way had to do, and has done, in this run.
        var rows: (done: Int, total: Int)?
        /// How far the change of a column's cells that is under way has come.
        var sealing = SealingRun()
    }

    private func advance(
        _ connection: borrowing Connection, _ known: inout GuardCache?, _ state: inout RunState,
        _ isStillDue: StepRun.IsStillDue
    ) throws -> Outcome {
        // Only SQL that cannot run in a transaction runs before one is begun.
        let next = try nextBareStatement(connection, state)
        if let next, next.runsAlone { try next.runAlone(connection) }
        try state.sealing.cleanIfDue(title, connection)
        let transaction = try MigrationTransaction.begin(title, step.timeout, connection)
        guard var progress = try progress(connection, &state, isStillDue) else { return .overtaken }
        if var bare = next {
            guard bare.isStillNext(progress) else { return .more }
            if !bare.runsAlone {
                try checked(connection, &known) { try bare.run(connection, step.observe) }
            }
            progress.cursor = .integer(Int64(bare.end))
            state.statements += bare.count
        } else if progress.segment < state.segments.count {
            try runSegment(connection, &known, &state, &progress)
        }
        let isDone = progress.segment == state.segments.count
        if isDone {
            try step.record(connection, duration: Clock.monotonicMicroseconds - state.start)
        } else {
            try MigrationTransaction.note(title, connection) { connection in
                try MigrationProgress.record(progress, connection)
            }
        }
        try MigrationTransaction.commit(title, transaction)
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
            state.statements += try checked(connection, &known) {
                try ScriptRunner(script: part, fileName: title, observe: step.observe)
                    .run(connection)
            }
            progress.segment += 1
        case .backfill(let backfill):
            try runBatch(of: backfill, connection, &known, &state, &progress)
        case .sealing(let sealing, let line):
            try step.observe(.statement(file: title, line: line))
            let isOver = try state.sealing.advance(
                sealing, "\(title):\(line)", connection,
                checked: { body in try checked(connection, &known, body) },
                tell: { try step.observe($0) })
            // What was measured no longer holds.
            known = nil
            state.statements += 1
            if isOver {
                progress.segment += 1
                state.sealing = SealingRun()
            }
        case .bare:
            // What was next in it was nothing: it is at its end.
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
        let place = "\(title):\(backfill.line)"
        try step.observe(.statement(file: title, line: backfill.line))
        func batch() throws -> Backfill.Batch? {
            try located(place) {
                try backfill.runBatch(after: cursor, allowed: allowed, on: connection)
            }
        }
        var counted = state.rows
        let done: Backfill.Batch?
        if counted == nil {
            let total = try located(place) {
                try BackfillKey(backfill.table, connection).rowsLeft(after: cursor, connection)
            }
            counted = (done: 0, total: total)
            // All checks for the first; the others do the same to other rows.
            done = try checked(connection, &known) {
                connection.core.watch?.begins(line: backfill.line)
                return try batch()
            }
        } else {
            done = try batch()
        }
        // What was measured no longer holds.
        known = nil
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
        try step.observe(
            .backfilled(table: backfill.table, rows: rows.done, total: max(rows.total, rows.done)))
    }

    private func located<Result>(_ place: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as LockstepError {
            let hint =
                error.code == .interrupted
                ? ScriptText.afterInterruption
                : "mend the statement, or the rows of its batch; the batches before it stay"
            throw error.located(place, hint: error.hint ?? hint)
        }
    }

    // MARK: How far it has come

    /// Nil if it is over.
    private func progress(
        _ connection: borrowing Connection, _ state: inout RunState,
        _ isStillDue: StepRun.IsStillDue
    ) throws -> UnfinishedMigration? {
        let found = try noted(connection)
        guard state.isFirst else { return found }
        guard try isStillDue(connection) else { return nil }
        state.isFirst = false
        let isUp = step.step.isUp
        try step.observe(.began(set: step.set.name, version: step.step.version, isUp: isUp))
        guard let found else { return try fresh() }
        guard found.isUp == isUp, found.segment <= state.segments.count else {
            throw LockstepError(
                .migrationUnfinished, "\(title) was begun in the other direction",
                hint: found.isUp ? "migrate to the end first" : "roll it back to the end first")
        }
        return found
    }

    private func noted(_ connection: borrowing Connection) throws -> UnfinishedMigration? {
        try MigrationProgress.all(connection).first {
            $0.set == step.set.name && $0.version == step.step.version
        }
    }

    private func fresh() throws -> UnfinishedMigration {
        let (checksums, down): (MigrationChecksums, String?)
        switch step.step {
        case .up(let migration): (checksums, down) = (migration.checksums, migration.recordedDown)
        case .down(let entry, _): (checksums, down) = (entry.checksums, entry.down)
        case .abandon(let unfinished, _):
            (checksums, down) = (unfinished.checksums, unfinished.down)
        }
        return UnfinishedMigration(
            set: step.set.name, version: step.step.version, name: step.step.name,
            isUp: step.step.isUp, startedAt: Clock.microsecondsSinceEpoch, checksums: checksums,
            down: down, segment: 0, cursor: .null)
    }

    private func nextBareStatement(
        _ connection: borrowing Connection, _ state: RunState
    ) throws -> BareStatements? {
        let noted = try noted(connection)
        let segment = noted?.segment ?? 0
        guard state.segments.indices.contains(segment),
            case .bare(let sql, let line) = state.segments[segment]
        else { return nil }
        var start = 0
        if let noted, case .integer(let offset) = noted.cursor {
            start = Int(clamping: offset)
            if state.isFirst { try requireSameText(noted, start, sql) }
        }
        return try BareStatements(sql, from: start, line: line, segment: segment, title)
    }

    /// An offset means something only in the text that it was counted in, and where a statement ends.
    private func requireSameText(
        _ noted: UnfinishedMigration, _ offset: Int, _ sql: String
    ) throws(LockstepError) {
        let isSame =
            switch step.step {
            case .up(let migration): migration.checksums.bytes == noted.checksums.bytes
            case .down(_, .own), .abandon(_, .own): script.text == noted.down
            case .down(_, .recorded), .abandon(_, .recorded): true
            }
        guard isSame else {
            throw LockstepError(
                .migrationChanged,
                "\(title) was begun with other comments or spacing, and it goes on by its place in the text",
                hint: "restore the file as it was, byte by byte, until the version is done")
        }
        guard BareStatements.endsStatement(at: offset, of: sql) else {
            throw LockstepError(
                .tampered, "\(title) is noted as begun up to where no statement ends",
                hint: "restore the database from a backup")
        }
    }

    private func checked<Result>(
        _ connection: borrowing Connection, _ known: inout GuardCache?,
        _ body: () throws -> Result
    ) throws -> Result {
        try MigrationTransaction.checked(
            title, script.allowances(step.step.version, isUp: step.step.isUp), connection, &known,
            tell: { try step.observe(.tolerated($0)) }, body)
    }
}
