internal import CSQLCipher

/// What SQL can change on a connection that stays in force after the closure that ran it: settings, and objects in the
/// temporary schema.
///
/// A pool lends its connections to many closures. One that finds the settings of another would give other results,
/// depending on the connection that it gets.
struct ConnectionState {
    /// An object of the temporary schema.
    private struct Object: Hashable {
        let kind: SQLName
        let name: SQLName
        /// The table or view that it belongs to.
        let owner: SQLName
        /// Whether it is a virtual table, with which its own tables go.
        let isVirtual: Bool
    }

    private let values: [Int64?]
    private let busyTimeout: Int32
    /// The one setting that has no value to read.
    private let isLikeCaseSensitive: Bool
    private let objects: Set<Object>

    /// The state now.
    /// - Throws: ``LockstepError/Code/outOfMemory``, and other errors of SQLite.
    init(of core: ConnectionCore) throws(LockstepError) {
        busyTimeout = core.authorizer.busyTimeout
        var values: [Int64?] = []
        for name in LastingSettings.readable {
            values.append(try core.texts("PRAGMA \(name.spelling)").first?.first.flatMap { Int64($0) })
        }
        self.values = values
        isLikeCaseSensitive = try core.texts("SELECT 'a' LIKE 'A'") == [["0"]]
        objects = Set(
            try core.texts(
                "SELECT type, name, tbl_name, sql LIKE 'CREATE VIRTUAL %' FROM temp.sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
            )
            .map {
                Object(
                    kind: SQLName($0[0]), name: SQLName($0[1]), owner: SQLName($0[2]),
                    isVirtual: $0[3].hasSameBytes(as: "1"))
            })
    }

    /// Puts back what has changed since.
    /// - Throws: as ``init(of:)``.
    func putBack(on core: ConnectionCore) throws(LockstepError) {
        let now = try ConnectionState(of: core)
        if now.busyTimeout != busyTimeout {
            core.authorizer.busyTimeout = busyTimeout
            unsafe sqlite3_busy_timeout(core.database, busyTimeout)
        }
        if now.isLikeCaseSensitive != isLikeCaseSensitive {
            _ = try core.texts("PRAGMA case_sensitive_like = \(isLikeCaseSensitive ? 1 : 0)")
        }
        for (index, name) in LastingSettings.readable.enumerated() {
            guard let value = values[index], now.values[index] != value else { continue }
            // 2 is read, but FAST is written.
            let text = name == "secure_delete" && value == 2 ? "FAST" : "\(value)"
            _ = try core.texts("PRAGMA \(name.spelling) = \(text)")
        }
        // A table takes its indexes and triggers along. Readable views and their triggers are the engine's.
        let own = core.authorizer.viewNames
        let left = now.objects.subtracting(objects)
            .filter { !EngineTables.isReserved($0.name) && !own.contains($0.owner) }
        for kind: SQLName in ["trigger", "view", "index", "table"] {
            let these = left.filter { $0.kind == kind }
            for object in these.filter(\.isVirtual) + these.filter({ !$0.isVirtual }) {
                let name = SQLTokens.quote(object.name.spelling)
                _ = try core.texts("DROP \(kind.spelling) IF EXISTS temp.\(name)")
            }
        }
    }
}

extension ConnectionCore {
    /// Runs `body`, after which the connection is as it was before: what it set is put back.
    ///
    /// Costs nothing as long as nothing is set: the state is read when the first statement that changes it is prepared.
    func leavingAsFound<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        try putBackState()
        authorizer.stateRule = .keepFirst
        let result: Result
        do {
            result = try body()
        } catch {
            authorizer.stateRule = .none
            throw cleaningUp(after: error) { try putBackState() }
        }
        authorizer.stateRule = .none
        try putBackState()
        return result
    }

    /// Puts back what closures have set. In a transaction that they have left open some of it cannot be: it is when the
    /// connection is used next.
    func putBackState() throws(LockstepError) {
        guard let state = stateBefore else { return }
        try state.putBack(on: self)
        if !isInTransaction || authorizer.openTransactions > 0 { stateBefore = nil }
    }

    /// The rows of one of the engine's own statements, which neither the program's hooks nor a cancelled task end.
    fileprivate func texts(_ sql: String) throws(LockstepError) -> [[String]] {
        let mode = authorizer.mode
        authorizer.mode = .engine
        hooks?.isPaused = true
        hooks?.isSilent = true
        defer {
            authorizer.mode = mode
            hooks?.isPaused = false
            hooks?.isSilent = false
        }
        let statement = try PreparedStatement.prepare(sql, .brief, on: self)
        var rows: [[String]] = []
        var code = SQLITE_INTERRUPT
        // An interrupt aimed at the closure can arrive here late.
        for _ in 0..<100 where code == SQLITE_INTERRUPT {
            rows = []
            code = unsafe sqlite3_step(statement.handle)
            while code == SQLITE_ROW {
                rows.append(
                    (0..<(unsafe sqlite3_column_count(statement.handle))).map { column in
                        unsafe sqlite3_column_text(statement.handle, column).map {
                            unsafe String(cString: $0)
                        } ?? ""
                    })
                code = unsafe sqlite3_step(statement.handle)
            }
            unsafe sqlite3_reset(statement.handle)
        }
        guard code == SQLITE_DONE else { throw error(code, sql: sql) }
        return rows
    }
}
