/// A column whose cells one connection can make and open.
final class SealedColumnAccess {
    /// The column as last read from the registry.
    private(set) var column: SealedColumn
    private(set) var cipher: ColumnCipher
    private(set) var shape: SealedTable
    let keys: FieldKeys
    private let tools: SealingTools
    let unopened: UnopenedCells
    /// One hasher for each blind index, in their order.
    private var hashers: [BlindIndexHasher] = []
    /// Indexes of several values that this connection's SQL has asked for. A call names one by its place.
    var compounds: [(index: CompoundIndex, hasher: BlindIndexHasher)] = []

    init(
        _ column: SealedColumn, _ shape: SealedTable, _ keys: FieldKeys, _ tools: SealingTools,
        _ unopened: UnopenedCells
    ) throws(LockstepError) {
        self.column = column
        self.keys = keys
        self.tools = tools
        self.unopened = unopened
        self.shape = shape
        keyCount = shape.boundColumns(column.mode).count
        cipher = try ColumnCipher(of: column, keys, tools)
        try makeHashers()
    }

    /// Identifies the column independently of its name.
    struct Identity: Hashable {
        let dataset: [UInt8]
        let column: UInt32
    }

    var identity: Identity { Identity(dataset: keys.dataset, column: column.id) }

    /// Adopts the registry's current state.
    func update(_ column: SealedColumn, _ shape: SealedTable) throws(LockstepError) {
        let isOther = column.identity != self.column.identity
        if isOther || column.state != self.column.state {
            cipher = try ColumnCipher(of: column, keys, tools)
        }
        self.column = column
        if isOther {
            for place in compounds.indices {
                compounds[place].hasher = try hasher(of: compounds[place].index)
            }
        }
        self.shape = shape
        keyCount = shape.boundColumns(column.mode).count
        lookupTexts = [:]
        if hashers.map(\.index) != column.indexes.map(\.index) { try makeHashers() }
    }

    private func makeHashers() throws(LockstepError) {
        hashers = []
        for index in column.indexes { hashers.append(try BlindIndexHasher(index.index, keys)) }
    }

    var title: String { "\(column.table).\(column.name)" }

    var key: SealedTable.Key { shape.key }

    /// The number of primary key values that a call must pass.
    private(set) var keyCount: Int

    // MARK: Calls from SQL

    /// Returns to SQL the value of the cell in argument 1, which the values of the row's key follow.
    /// - Parameters:
    ///   - anyLength: Whether to open even a cell that is too long for SQL, which should be read as a stream.
    ///   - keepsLookalikes: Whether a value that has the form of a cell stays one.
    func open(
        _ call: borrowing FunctionCall, anyLength: Bool = false, keepsLookalikes: Bool = false
    ) throws(LockstepError) {
        let kind = call.kind(1)
        // NULL is visible and needs no key.
        if kind == .null { return }
        // In a sealed column every value is a cell; anything else fails when it is opened.
        guard try holdsCell(call, kind, any: column.state.holdsCellsAlone) else {
            guard !column.state.holdsCellsAlone else {
                throw cipher.malformed("holds no sealed value", try binding(call, from: 2))
            }
            return call.setResult(toArgument: 1)
        }
        try requireSealedAtAll()
        let binding = try binding(call, from: 2)
        // The payload goes to SQLite directly from the buffer, without a Swift value in between.
        try call.withBytes(1) { bytes throws(LockstepError) in
            if !anyLength, isTooLong(bytes) {
                let standIn = try standIn()
                return call.setResult(blob: standIn.span)
            }
            try cipher.open(bytes, at: binding) { tag, payload throws(LockstepError) in
                if keepsLookalikes, CellPrefix(payload) != nil {
                    return call.setResult(toArgument: 1)
                }
                call.setResult(tag, payload)
            }
        }
    }

    /// Returns to SQL the cell for the value in argument 1, for the row whose key follows it; or the value itself if
    /// the column's state requires plaintext.
    func seal(_ call: borrowing FunctionCall) throws(LockstepError) {
        let kind = call.kind(1)
        if kind == .null { return }
        // A row that gets another key needs the value after all.
        guard try !isStandIn(call, 1) else { throw tooLong }
        guard column.state.sealsValues else {
            return try setPlaintext(call, kind)
        }
        let binding = try binding(call, from: 2)
        let cell = try cell(call, kind, at: binding)
        call.setResult(blob: cell.span)
    }

    private func cell(
        _ call: borrowing FunctionCall, _ kind: FunctionCall.Kind, at binding: CellBinding
    ) throws(LockstepError) -> [UInt8] {
        switch kind {
        case .text, .blob:
            try call.withBytes(1) { bytes throws(LockstepError) in
                try cipher.seal(kind == .text ? .text : .blob, bytes, at: binding)
            }
        case .integer: try cipher.seal(.integer(call.integer(1)), at: binding)
        case .real: try cipher.seal(.real(call.real(1)), at: binding)
        case .null: try cipher.seal(.null, at: binding)
        }
    }

    /// Returns to SQL a new cell under the active key for the cell in argument 1, for the row whose key follows it. The
    /// payload stays the same; SQL would turn a NaN into NULL.
    func reseal(_ call: borrowing FunctionCall) throws(LockstepError) {
        guard call.kind(1) == .blob else {
            throw cipher.malformed("holds no sealed value", try binding(call, from: 2))
        }
        let binding = try binding(call, from: 2)
        let cell = try call.withBytes(1) { bytes throws(LockstepError) in
            try cipher.open(bytes, at: binding) { tag, payload throws(LockstepError) in
                try cipher.seal(tag, payload, at: binding)
            }
        }
        call.setResult(blob: cell.span)
    }

    /// Refuses plaintext that would be mistaken for a cell while the column still holds cells.
    private func setPlaintext(
        _ call: borrowing FunctionCall, _ kind: FunctionCall.Kind
    ) throws(LockstepError) {
        guard try !holdsCell(call, kind) else {
            throw LockstepError(
                .misuse, "a value for \(title) looks like a sealed cell",
                hint: "write it after the column is sealed", context: column.context)
        }
        call.setResult(toArgument: 1)
    }

    /// Whether argument 1 is a BLOB that looks like a cell of the column; with `any`, whether it is a BLOB.
    private func holdsCell(
        _ call: borrowing FunctionCall, _ kind: FunctionCall.Kind, any: Bool = false
    ) throws(LockstepError) -> Bool {
        guard kind == .blob, !any else { return kind == .blob }
        return try call.withBytes(1) { bytes throws(LockstepError) in looksLikeCell(bytes) }
    }

    func requireSealedAtAll() throws(LockstepError) {
        guard column.state != .plaintext else {
            throw LockstepError(
                .cellMalformed, "\(title) holds a cell but is not sealed",
                hint: "somebody wrote it there, or put back an older state of the registry", context: column.context)
        }
    }

    // MARK: Blind indexes

    private struct Lookup: Hashable {
        let place: Int
        let count: Int
        @Exact private(set) var view: String
    }

    /// The SQL of look-ups, generated once for each kind.
    private var lookupTexts: [Lookup: String] = [:]

    func lookupText(
        _ place: Int, _ count: Int, _ view: String, _ make: () throws(LockstepError) -> String
    ) throws(LockstepError) -> String {
        let lookup = Lookup(place: place, count: count, view: view)
        if let text = lookupTexts[lookup] { return text }
        // Varying lengths of lists and names of views could add any number of entries.
        if lookupTexts.count > 64 { lookupTexts = [:] }
        let text = try make()
        lookupTexts[lookup] = text
        return text
    }

    /// Whether the column currently has this name.
    func isNamed(_ name: String, of table: String) -> Bool {
        SQLName(column.name) == SQLName(name) && SQLName(column.table) == SQLName(table)
    }

    /// The token that an index has for a value; nil for a value without an entry.
    func token(_ place: Int, of value: Value) throws(LockstepError) -> Value? {
        try hashers[place].token([value])
    }

    /// Returns to SQL the token of the value in argument 2, for the index that argument 1 names by its number or its
    /// normaliser.
    func setToken(_ call: borrowing FunctionCall) throws(LockstepError) {
        let place = try indexPlace(call)
        guard try !isStandIn(call, 2) else { throw tooLong }
        switch try token(place, of: call.copy(ofArgument: 2)) {
        case .integer(let number): call.setResult(number)
        case .blob(let bytes): call.setResult(blob: bytes.span)
        default: return
        }
    }

    /// Returns to SQL whether the values in arguments 2 and 3 are equal to such an index, because tokens can coincide.
    func setEquality(_ call: borrowing FunctionCall) throws(LockstepError) {
        let index = hashers[try indexPlace(call)].index
        guard let one = try index.message([call.copy(ofArgument: 2)]),
            let other = try index.message([call.copy(ofArgument: 3)])
        else { return }
        call.setResult(one == other)
    }

    private func indexPlace(_ call: borrowing FunctionCall) throws(LockstepError) -> Int {
        let place: Int? =
            switch call.kind(1) {
            case .integer:
                hashers.firstIndex { Int64($0.index.number) == call.integer(1) }
            case .text: try place(of: Normaliser(call.text(1)))
            default: nil
            }
        guard let place else {
            throw LockstepError(
                .misuse, "\(title) has no such blind index",
                hint: column.indexes.isEmpty
                    ? "it has no blind index"
                    : "it has \(column.indexes.map(\.normaliser.spelling).joined(separator: ", "))",
                context: column.context)
        }
        return place
    }

    /// The position of its index with this normaliser.
    func place(of normaliser: Normaliser) -> Int? {
        column.indexes.firstIndex { $0.normaliser == normaliser }
    }

    // MARK: Checking

    /// A fault of a cell.
    enum Fault: Int64, CaseIterable {
        case notAuthentic = 1
        case noCell
        case keyUnavailable
        case wrongToken
        case otherBinding

        /// The fault that an error means; nil for an error that is not about the cell.
        init?(_ error: LockstepError) {
            switch error.code {
            case .cellForged: self = .notAuthentic
            case .cellMalformed: self = .noCell
            case .keyUnavailable: self = .keyUnavailable
            default: return nil
            }
        }
    }

    /// Returns to SQL the fault of the cell in argument 1 or of the row's tokens, or NULL if there is none. One token
    /// for each index follows the row's key in the arguments.
    func check(_ call: borrowing FunctionCall) throws(LockstepError) {
        do throws(LockstepError) {
            if let fault = try fault(call) { call.setResult(fault.rawValue) }
        } catch {
            guard var fault = Fault(error) else { throw error }
            let prefix = call.kind(1) == .blob ? try call.withBytes(1) { CellPrefix($0) } : nil
            if fault == .notAuthentic, prefix.map(cipher.hasOtherBinding) == true {
                fault = .otherBinding
            }
            call.setResult(fault.rawValue)
        }
    }

    private func fault(_ call: borrowing FunctionCall) throws(LockstepError) -> Fault? {
        let kind = call.kind(1)
        let tokens = 2 + keyCount
        guard kind != .null else { return try faultOfTokens(.null, call, tokens) }
        guard try holdsCell(call, kind, any: column.state.holdsCellsAlone) else {
            return column.state.holdsCellsAlone ? .noCell : nil
        }
        let binding = try binding(call, from: 2, count: keyCount)
        guard !hashers.isEmpty else {
            try call.withBytes(1) { bytes throws(LockstepError) in
                try cipher.open(bytes, at: binding) { _, _ throws(LockstepError) in }
            }
            return nil
        }
        let value = try call.withBytes(1) { bytes throws(LockstepError) in
            try cipher.open(bytes, at: binding)
        }
        return try faultOfTokens(value, call, tokens)
    }

    private func faultOfTokens(
        _ value: Value, _ call: borrowing FunctionCall, _ first: Int
    ) throws(LockstepError) -> Fault? {
        for place in hashers.indices {
            let expected = try token(place, of: value)
            let isRight =
                switch (expected, call.kind(first + place)) {
                case (nil, .null): true
                case (.integer(let number), .integer): call.integer(first + place) == number
                case (.blob(let bytes), .blob): try call.bytes(first + place) == bytes
                default: false
                }
            guard isRight else { return .wrongToken }
        }
        return nil
    }

    // MARK: Places

    private func binding(
        _ call: borrowing FunctionCall, from first: Int, count: Int? = nil
    ) throws(LockstepError) -> CellBinding {
        guard column.mode.bindsToRow else { return .column }
        let count = count ?? call.count - first
        switch key {
        case .row:
            guard count == 1, call.kind(first) == .integer else {
                throw wrongKey("a call needs the row's INTEGER PRIMARY KEY")
            }
            return .row(call.integer(first))
        case .columns(let columns):
            guard count == columns.count else {
                throw wrongKey("a call needs the \(columns.count) columns of the row's primary key")
            }
            var values: [CellBinding.KeyValue] = []
            for (index, column) in columns.enumerated() {
                values.append(try keyValue(call, first + index, column))
            }
            return .key(values)
        case .none: throw wrongKey("its table has no primary key that identifies rows")
        }
    }

    private func keyValue(
        _ call: borrowing FunctionCall, _ index: Int, _ column: SealedTable.Column
    ) throws(LockstepError) -> CellBinding.KeyValue {
        let kind = call.kind(index)
        // A value that SQLite would store as another one could not be opened again.
        guard column.affinity.keeps(kind) else {
            throw wrongKey("\(column.name) got a value that SQLite would store as a different one")
        }
        switch kind {
        case .integer: return .integer(call.integer(index))
        case .blob: return .blob(try call.bytes(index))
        case .text: return .text(try call.text(index))
        case .null, .real: throw wrongKey("\(column.name) cannot be NULL or REAL in a primary key")
        }
    }

    func wrongKey(_ why: String) -> LockstepError {
        LockstepError(
            .misuse, "\(title): \(why)", hint: "pass the primary key as stored, its columns in the key's order",
            context: column.context)
    }
}

extension FunctionCall {
    func copy(ofArgument index: Int) throws(LockstepError) -> Value {
        switch kind(index) {
        case .null: .null
        case .integer: .integer(integer(index))
        case .real: .real(real(index))
        case .text: .text(try text(index))
        case .blob: .blob(try bytes(index))
        }
    }

    /// Returns a cell's payload to SQL in SQL's type.
    fileprivate func setResult(_ tag: CellTag, _ payload: Span<UInt8>) {
        switch tag {
        case .null: return
        case .integer: setResult(CellPlaintext.integer(payload))
        case .real:
            setResult(Double(bitPattern: UInt64(bitPattern: CellPlaintext.integer(payload))))
        case .text: setResult(text: payload)
        case .blob: setResult(blob: payload)
        }
    }
}
