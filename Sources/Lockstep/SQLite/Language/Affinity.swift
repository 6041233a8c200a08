/// What a column makes of values that it is given.
enum Affinity: Sendable, Equatable {
    case integer, text, blob, real, numeric

    /// As section 3.1 of "Datatypes In SQLite" derives it from a column's declared type.
    init(_ declared: String) {
        let type = declared.asciiLowercased
        self =
            if type.contains("int") {
                .integer
            } else if ["char", "clob", "text"].contains(where: type.contains) {
                .text
            } else if type.contains("blob") || type.isEmpty {
                .blob
            } else if ["real", "floa", "doub"].contains(where: type.contains) {
                .real
            } else {
                .numeric
            }
    }
}
