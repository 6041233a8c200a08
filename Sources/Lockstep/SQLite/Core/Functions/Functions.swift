/// The SQL functions that every connection has, besides SQLite's own.
enum Functions {
    /// Registers `lockstep_sha256(x)`: the SHA-256 of a BLOB's bytes, or of a TEXT's in UTF-8, as a BLOB; NULL
    /// for NULL.
    static func register(on connection: borrowing Connection) throws(LockstepError) {
        try connection.add("lockstep_sha256", argumentCount: 1, isDeterministic: true) {
            call throws(LockstepError) in
            guard call.kind(0) != .null else { return }
            let digest = try call.withBytes(0) { bytes throws(LockstepError) in
                try HashFunction.sha256.digest(bytes)
            }
            call.setResult(blob: digest.span)
        }
        try registerForms(on: connection)
    }

    // MARK: Forms of values

    private static func registerForms(
        on connection: borrowing Connection
    ) throws(LockstepError) {
        for form in StoredForm.all { try register(form, on: connection) }
        // Ends a normalisation at a value that has no place in it, which is not shown.
        try connection.add("lockstep_unread", argumentCount: 3, isDeterministic: true) {
            call throws(LockstepError) in
            let (column, form) = (try call.text(1), try call.text(2))
            let kinds = ["date": "a date", "uuid": "a UUID", "url": "a URL"]
            throw LockstepError(
                .decodeMismatch, "\(column) has a value that is not read as \(kinds[form] ?? "a decimal number")",
                hint: "correct it first: for such a value, `lockstep_\(form)` gives NULL")
        }
        let forms = Dictionary(uniqueKeysWithValues: ([.truth] + StoredForm.all).map { ($0.identifier, $0) })
        try connection.add("lockstep_as_written", argumentCount: 3, isDeterministic: true) {
            call throws(LockstepError) in
            guard let form = forms[try call.text(2)], call.kind(0) != .null,
                try !isFound(call, form)
            else { return call.setResult(toArgument: 0) }
            throw LockstepError(
                .decodeMismatch,
                "\(try call.text(1)) is sealed, and a value of it has another form than the one that is written, in which no blind index finds it",
                hint: "read it by SQL, and write it again")
        }
        #if Foundation
        try connection.add(
            "lockstep_decimal_order", argumentCount: 1, isDeterministic: true
        ) { call throws(LockstepError) in
            guard call.kind(0) == .text, case .text(let number)? = StoredForm.decimal.canonical(.text(try call.text(0)))
            else { return }
            call.setResult(Value.text(DecimalOrder.key(number)))
        }
        #endif
    }

    /// Whether a blind index finds the first argument by what is read from it. What is not read at all is another
    /// error.
    private static func isFound(
        _ call: borrowing FunctionCall, _ form: StoredForm
    ) throws(LockstepError) -> Bool {
        let value = try call.numberOrText(0)
        guard let written = form.canonical(value) else { return true }
        return form.alternatives(of: written).contains(value)
    }

    /// Registers `lockstep_date(x)`, `lockstep_uuid(x)`, `lockstep_decimal(x)`, `lockstep_url(x)` and those of numbers:
    /// what is read from `x` as this type, in the form in which it is written; NULL for what is not read.
    private static func register(
        _ form: StoredForm, on connection: borrowing Connection
    ) throws(LockstepError) {
        guard let function = form.function else { return }
        try connection.add(function, argumentCount: 1, isDeterministic: true) {
            call throws(LockstepError) in
            if call.kind(0) == .text {
                let isCanonical = try call.withBytes(0) { form.isCanonical($0) }
                guard !isCanonical else { return call.setResult(toArgument: 0) }
            }
            let value = try call.numberOrText(0)
            if let canonical = form.canonical(value) { call.setResult(canonical) }
        }
    }
}

/// Texts that sort as decimal numbers do.
enum DecimalOrder {
    /// Of a number as `Decimal` describes it: its sign, the place of its first digit, and its digits.
    static func key(_ number: String) -> String {
        let isNegative = number.hasPrefix("-")
        let parts = number.dropFirst(isNegative ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
        let whole = parts.first.map { $0 == "0" ? "" : $0 } ?? ""
        let fraction = parts.count > 1 ? parts[1] : ""
        let zeros = whole.isEmpty ? fraction.prefix { $0 == "0" }.count : 0
        var digits = whole + fraction.dropFirst(zeros)
        while digits.last == "0" { digits.removeLast() }
        guard !digits.isEmpty else { return "1" }
        let place = whole.isEmpty ? -zeros : whole.count
        guard isNegative else { return "2\(5000 + place)\(digits)" }
        let complement = digits.utf8.map { UInt8(ascii: "9") - ($0 - UInt8(ascii: "0")) }
        return "0\(5000 - place)\(String(decoding: complement, as: UTF8.self))~"
    }
}
