internal import Lockstep

/// What a directive of a script does on a server.
struct ServerAction {
    enum Work {
        case sealing(SealingDirective)
        case exposure(table: String, column: String?)
    }

    /// How many statements of the script come before it.
    let place: Int
    let line: Int
    let work: Work
}

/// The directives of a version, in the transaction of its statements.
struct ServerActions {
    private let script: ServerScript
    private let schema: String
    /// Whether sealed columns get their shape alone.
    private let isOfShape: Bool

    init(_ script: ServerScript, _ schema: String, isOfShape: Bool) {
        (self.script, self.schema, self.isOfShape) = (script, schema, isOfShape)
    }

    /// Does what stands before a statement, or after the last one.
    func run(before place: Int, _ connection: borrowing ServerConnection) throws {
        for action in script.actions where action.place == place {
            do {
                try run(action, connection)
            } catch let error as LockstepError {
                throw script.origin.located(error, line: action.line)
            }
        }
    }

    private func run(_ action: ServerAction, _ connection: borrowing ServerConnection) throws {
        switch action.work {
        case .sealing(let directive):
            let protection = ServerProtection(directive: directive, schema: schema)
            if isOfShape {
                try protection.changeShape(connection)
            } else {
                try protection.run(connection)
            }
        case .exposure(let table, let column):
            try Exposure(schema: schema).allow(table, column, connection)
        }
    }

    /// Requires that each column that becomes plaintext is named by the set, once something is sealed or named in the
    /// schema.
    /// - Parameter later: The steps of the run that follow, which can seal or name more.
    func requireNamed(
        _ later: some Sequence<Plan.Step>, in set: MigrationSet,
        _ connection: borrowing ServerConnection
    ) throws {
        let exposure = Exposure(schema: schema)
        let holdsSealed = connection.fields?.columns.isEmpty == false
        guard try holdsSealed || exposure.isHeld(connection) else { return }
        var declared = Exposure.declared(in: [set])
        for action in script.actions { if case .exposure = action.work { declared.formUnion(action.columns) } }
        let unnamed = try exposure.unnamed(connection, by: .version(declared, made: script.madeIfMissing))
        guard !unnamed.isEmpty else { return }
        var coming: Set<Exposure.Column> = []
        for step in later {
            let script = try ServerScript(step.script(in: set), step.origin(in: set))
            for action in script.actions { coming.formUnion(action.columns) }
        }
        let left = unnamed.filter { column in
            let name = column.folded
            return !coming.contains(name) && !coming.contains(.init(table: name.table, name: Exposure.all))
        }
        if let error = Exposure.error(left) {
            throw script.origin.located(error)
        }
    }
}

extension ServerAction {
    /// The columns that it seals or names.
    fileprivate var columns: [Exposure.Column] {
        switch work {
        case .sealing(let directive):
            directive.isProtection
                ? [
                    Exposure.Column(
                        table: directive.change.table, name: directive.change.column
                    ).folded
                ]
                : []
        case .exposure(let table, let column):
            [Exposure.Column(table: table, name: column ?? Exposure.all).folded]
        }
    }
}
