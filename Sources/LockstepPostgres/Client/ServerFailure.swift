internal import Lockstep

/// Turns what a server reports into errors. A server's text is data: its literals and control characters do not get
/// into messages.
struct ServerFailure {
    /// Five letters and digits; empty if libpq itself reports the failure.
    let state: String
    let message: String
    /// The place in the statement, in characters from 1.
    let position: Int?
    let table: String?
    let column: String?
    /// Where the server was, as it says: never part of a message.
    private let place: String

    init(
        state: String, message: String, position: Int? = nil, table: String? = nil,
        column: String? = nil, place: String? = nil
    ) {
        self.place = place ?? ""
        self.state = state
        self.message = Self.redacted(message, state)
        (self.position, self.table, self.column) = (position, table, column)
    }

    /// - Parameter sql: The statement, in which the context's line is counted.
    func error(in sql: String? = nil) -> LockstepError {
        let line = position.flatMap { position in
            sql.map { $0.unicodeScalars.prefix(max(position - 1, 0)).count { $0 == "\n" } + 1 }
        }
        return LockstepError(
            code, message, hint: hint,
            context: .init(
                line: line, table: table, column: column, sqlState: state.isEmpty ? nil : state)
        )
    }

    /// The error of a COPY to a table, with the number of the row if the server says it.
    func error(to table: String?) -> LockstepError {
        guard let table, let row = row(of: table) else { return error() }
        return error().located("row \(row)", context: .init(table: table))
    }

    /// The number in `COPY films, line 7`, whatever the server's language.
    private func row(of table: String) -> Int? {
        let beginning = "COPY \(table), "
        guard let rest = place.rest(after: beginning) else { return nil }
        let digits = rest.drop { !$0.isWholeNumber }
            .prefix { $0.isWholeNumber }
        return ServerCount(serverText: String(digits))?.value
    }

    private var code: LockstepError.Code {
        switch state {
        case "55P03", "40001", "40P01": .busy
        case "53100": .full
        case "57014": .interrupted
        case "57P01", "57P02", "57P03", "25P03", "25P04": .serverUnreachable
        case "25006": .readOnlyServer
        case "42501": .denied
        case "": .serverUnreachable
        default:
            switch state.prefix(2) {
            case "08": .serverUnreachable
            case "23": .constraint
            case "28": .loginRefused
            case "22": .typeMismatch
            case "53": .limitExceeded
            case "54": .limitExceeded
            default: .sqlFailed
            }
        }
    }

    private var hint: String? {
        switch code {
        case .busy: "another transaction holds the lock; try again"
        case .interrupted:
            """
            the server ended the statement: by the statement_timeout of the role, the database or the version, which \
            `SHOW statement_timeout` shows, or because somebody cancelled it
            """
        case .serverUnreachable where ["25P03", "25P04"].containsBytes(of: state):
            "raise the idle_in_transaction_session_timeout or transaction_timeout of the role or the database"
        case .serverUnreachable: "check that the server runs, then try again"
        case .readOnlyServer: "use the primary server"
        case .denied: "grant the role what it needs, or use another role"
        case .full: "make room on the server's disk"
        default: nil
        }
    }

    /// The server's text on one line, without values. After a colon, data exceptions repeat the value; a syntax error
    /// repeats a token, which can be a literal.
    private static func redacted(_ text: String, _ state: String) -> String {
        var text = String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
            ))
        if state.begins(with: "22"), let colon = text.unicodeScalars.firstIndex(of: ":") {
            text = String(text[..<colon])
        }
        for mark in ["at or near \"'", "at or near \"$"] {
            guard let start = text.range(of: mark) else { continue }
            text = text[..<start.lowerBound] + "at or near a literal"
        }
        while text.last == " " { text.removeLast() }
        return text.count > 400 ? text.prefix(400) + " …" : text
    }
}

extension String {
    /// The first occurrence of a text.
    fileprivate func range(of part: String) -> Range<Index>? { ranges(of: part).first }
}
