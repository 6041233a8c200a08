#if Postgres
    public import Lockstep

    /// Migrates a PostgreSQL database to a version of a migration set.
    ///
    /// Each version is one transaction that includes its ledger row: however the process ends, schema and ledger agree. Several
    /// runners at once take turns by a lock that ends with the transaction, and each makes its plan under it.
    ///
    /// A statement that waits for a lock makes everyone else wait who comes after it. So no statement waits longer than a
    /// second: the version is rolled back, and begun again a moment later, until `timeout` has passed.
    public struct ServerMigrator {
        /// What happens in a run, for tests that end it there.
        enum Event: Equatable {
            /// A statement is about to run.
            case statement(line: Int)
            /// All statements ran; the ledger is about to be written.
            case recording
            /// The ledger is written; the commit is about to happen.
            case committing
        }

        let set: MigrationSet
        /// How long a version waits for locks and other runners.
        let timeout: Duration
        private let allowsOutOfOrder: Bool
        private let recordedDown: RecordedDown
        /// Whether sealed columns get their shape alone, without keys and without a registry: for a copy, which brings both.
        private var isOfShape = false
        private let observe: (Event) throws -> Void

        /// A migrator for `set`.
        /// - Parameters:
        ///   - set: The set, read for `DatabaseEngine.postgres`.
        ///   - timeout: How long a version waits for locks and other runners.
        ///   - allowsOutOfOrder: Whether a version may be applied after a newer one was.
        ///   - recordedDown: Whether the way down that the server recorded may undo a version whose file is gone. Anyone who
        ///     can write the ledger can have written it.
        public init(
            _ set: MigrationSet, timeout: Duration = .seconds(60), allowsOutOfOrder: Bool = false,
            recordedDown: RecordedDown = .refused
        ) {
            self.init(
                set, timeout: timeout, allowsOutOfOrder: allowsOutOfOrder,
                recordedDown: recordedDown
            ) { _ in }
        }

        /// A migrator for the schema alone.
        init(forShapeOf set: MigrationSet) {
            self.init(set)
            isOfShape = true
        }

        init(
            _ set: MigrationSet, timeout: Duration = .seconds(60), allowsOutOfOrder: Bool = false,
            recordedDown: RecordedDown = .refused, observe: @escaping (Event) throws -> Void
        ) {
            self.set = set
            self.timeout = timeout
            self.allowsOutOfOrder = allowsOutOfOrder
            self.recordedDown = recordedDown
            self.observe = observe
        }

        /// What the server's ledger records.
        /// - Throws: `LockstepError.Code.tampered` for rows that Lockstep did not write; the server's errors.
        public static func history(_ connection: borrowing ServerConnection) throws
            -> MigrationHistory
        {
            try ServerLedger(connection).history(connection)
        }

        /// The steps to `target`, with the problems found. Nothing runs, and every script is read.
        /// - Throws: `LockstepError.Code.misuse` for a set that was read for another engine; the errors of
        ///   ``history(_:)``.
        public func plan(_ target: Plan.Target, on connection: borrowing ServerConnection) throws
            -> Plan
        {
            try set.require(.postgres)
            return plan(target, try ServerLedger(connection).history(connection))
        }

        private func plan(_ target: Plan.Target, _ history: MigrationHistory) -> Plan {
            Plan(
                set, history: history, target: target, allowsOutOfOrder: allowsOutOfOrder,
                recordedDown: recordedDown)
        }

        /// The statements of a step, each with its line in the file.
        /// - Throws: `LockstepError.Code.migrationMalformed` with file and line, for what cannot run on a server.
        public func statements(of step: Plan.Step) throws -> [(line: Int, sql: String)] {
            try ServerScript(step.script(in: set), step.origin(in: set)).statements
                .map { ($0.line, $0.sql) }
        }

        /// Runs the steps to `target`. Blocks.
        /// - Parameters:
        ///   - target: The target of the run.
        ///   - connection: A connection outside a transaction.
        ///   - report: Gets the steps, also those completed before an error.
        ///   - progress: Called before each statement and before each new attempt. An error that it throws rolls back the
        ///     open version.
        /// - Throws: `LockstepError` of the group "Migrations"; the version in the error is rolled back, earlier versions
        ///   stay applied. `LockstepError.Code.busy` if locks or other runners took longer than `timeout`;
        ///   `LockstepError.Code.tampered` for a ledger that Lockstep did not write; `LockstepError.Code.misuse` inside a
        ///   transaction and for a set of another engine; `LockstepError.Code.commitUnknown` if the connection is lost
        ///   during a commit: a second run finds out. Any error from `progress`.
        public func run(
            _ target: Plan.Target = .latest, on connection: borrowing ServerConnection,
            into report: inout MigrationReport, progress: JobProgress.Handler = { _ in }
        ) throws {
            defer { report.time = report.time.ended() }
            try set.require(.postgres)
            guard !connection.isInTransaction else {
                throw LockstepError(
                    .misuse, "a migration cannot run inside a transaction",
                    hint: "commit or roll back first")
            }
            let ledger = try ServerLedger(connection)
            let path: String? = try connection.value(
                "SELECT pg_catalog.current_setting('search_path')")
            var goal = try direction(of: target, ledger, connection)
            while true {
                let step = try repeating(progress) {
                    try runOne(goal, ledger, path ?? "", connection, &report, progress)
                }
                guard let step else { return }
                // One of several to undo is undone.
                if case .back(let count) = goal, !step.isUp {
                    guard count > 1 else { return }
                    goal = .back(count - 1)
                }
            }
        }

        /// Runs the steps to `target`.
        /// - Throws: The errors of ``run(_:on:into:progress:)``.
        public func run(
            _ target: Plan.Target = .latest, on connection: borrowing ServerConnection,
            progress: JobProgress.Handler = { _ in }
        ) throws -> MigrationReport {
            var report = MigrationReport()
            try run(target, on: connection, into: &report, progress: progress)
            return report
        }

        /// A target below the current version does not lead up again.
        private func direction(
            of target: Plan.Target, _ ledger: ServerLedger, _ connection: borrowing ServerConnection
        ) throws -> Plan.Target {
            switch target {
            case .version(let version):
                let first = plan(target, try ledger.history(connection)).steps.first
                return first?.isUp == false ? .downTo(version) : target
            case .redo:
                throw LockstepError(
                    .misuse, "a redo is not supported on PostgreSQL yet",
                    hint: "roll back, then migrate")
            case .latest, .downTo, .back: return target
            }
        }

        // MARK: One version

        /// Runs `body` again while locks keep it from running.
        private func repeating<Output>(
            _ progress: JobProgress.Handler, _ body: () throws -> Output
        ) throws -> Output {
            let start = Clock.monotonicMicroseconds
            while true {
                do {
                    return try body()
                } catch let error as LockstepError where error.code == .busy {
                    guard Clock.time(since: start) < timeout else {
                        throw LockstepError(
                            .busy,
                            "\(error.message), for longer than \(timeout.components.seconds) s",
                            advice:
                                "end the transaction that holds the lock, or wait longer: \(.serverPatience)",
                            context: error.context)
                    }
                    try JobProgress(waitingFor: set.name).report(to: progress)
                    // Those who came after the attempt have their turn.
                    Clock.pause(milliseconds: 50)
                }
            }
        }

        /// - Returns: The step that is done; nil if there is none.
        private func runOne(
            _ target: Plan.Target, _ ledger: ServerLedger, _ path: String,
            _ connection: borrowing ServerConnection, _ report: inout MigrationReport,
            _ progress: JobProgress.Handler
        ) throws -> Plan.Step? {
            let start = Clock.monotonicMicroseconds
            var done: (step: MigrationReport.Step, notices: [LockstepError])?
            let step: Plan.Step? = try connection.transaction { connection in
                try Self.settle(path, connection)
                try ledger.lock(connection)
                let waited = Clock.time(since: start)
                let history = try ledger.history(connection)
                let plan = plan(target, history)
                try plan.requireSound()
                try requireNoRepeatables(plan)
                guard let step = plan.steps.first else { return nil }
                let script = try ServerScript(step.script(in: set), step.origin(in: set))
                let begun = Clock.monotonicMicroseconds
                let guardian = try ServerGuard(connection)
                let actions = ServerActions(script, ledger.schema, isOfShape: isOfShape)
                for (place, statement) in script.statements.enumerated() {
                    try actions.run(before: place, connection)
                    try JobProgress(step, of: set.name, line: statement.line).report(to: progress)
                    try observe(.statement(line: statement.line))
                    try run(statement, of: script, connection)
                }
                try actions.run(before: script.statements.count, connection)
                if !isOfShape {
                    try actions.requireNamed(plan.steps.dropFirst(), in: set, connection)
                }
                var notices: [LockstepError]
                do {
                    notices = try guardian.requireKept(allowing: script.allowedLosses, connection)
                } catch let error as LockstepError {
                    throw script.origin.located(error)
                }
                notices += plan.findings.filter { !$0.isFatal }.map(\.error)
                try observe(.recording)
                let duration = Clock.time(since: begun)
                switch step {
                case .up(let migration):
                    try ledger.prepare(connection)
                    try ledger.record(
                        migration, of: set.name, after: history,
                        duration: duration.wholeMicroseconds, connection)
                case .down(let entry, _): try ledger.erase(entry, connection)
                case .abandon(let unfinished, _): throw Self.impossible(unfinished)
                }
                try observe(.committing)
                done = (
                    MigrationReport.Step(
                        set: set.name, version: step.version, name: step.name, isUp: step.isUp,
                        statements: script.statements.count, duration: duration,
                        waited: waited > .milliseconds(100) ? waited : .zero), notices
                )
                return step
            }
            if let done {
                report.steps.append(done.step)
                for notice in done.notices where !report.notices.contains(notice) {
                    report.notices.append(notice)
                }
            }
            return step
        }

        /// The settings that a version begins with, whatever the one before has set.
        private static func settle(_ path: String, _ connection: borrowing ServerConnection) throws
        {
            try connection.execute(
                """
                SELECT pg_catalog.set_config('lock_timeout', '1s', true),
                    pg_catalog.set_config('search_path', \(path), false),
                    pg_catalog.set_config('standard_conforming_strings', 'on', false)
                """)
        }

        private func run(
            _ statement: StatementCutter.Statement, of script: ServerScript,
            _ connection: borrowing ServerConnection
        ) throws {
            do throws(LockstepError) {
                try connection.execute(ServerSQL(verbatim: statement.sql))
            } catch {
                throw Self.located(error, statement, script.origin)
            }
            guard connection.isInTransaction else {
                throw script.origin.malformed(
                    "the statement ended the version's transaction", line: statement.line,
                    hint: "a version and its record are one transaction: remove what ends it")
            }
        }

        private static func located(
            _ error: LockstepError, _ statement: StatementCutter.Statement, _ origin: ScriptOrigin
        ) -> LockstepError {
            let kept: [LockstepError.Code] = [
                .busy, .full, .interrupted, .serverUnreachable, .readOnlyServer,
            ]
            guard !kept.contains(error.code) else { return error }
            var context = error.context
            let line = statement.line + (context.line ?? 1) - 1
            (context.file, context.line) = (nil, nil)
            let renamed = LockstepError(.migrationFailed, error.message, context: context)
            return origin.located(
                renamed, line: line,
                advice: "fix the statement; no part of this version was applied")
        }

        private func requireNoRepeatables(_ plan: Plan) throws(LockstepError) {
            guard let first = plan.repeatables.first else { return }
            throw LockstepError(
                .migrationMalformed,
                "\(set.name)/\(first.fileName): repeatable migrations are not supported on PostgreSQL yet",
                hint: "move its statements into a version",
                context: .init(file: first.fileName, set: set.name))
        }

        private static func impossible(_ unfinished: UnfinishedMigration) -> LockstepError {
            LockstepError(
                .migrationUnfinished,
                "\(unfinished.set) \(unfinished.version) was begun by another program",
                hint: "finish it there")
        }
    }
#endif
