/// How a column converts the values stored in it.
enum Affinity: Sendable, Equatable {
    case integer, text, blob, real, numeric

    /// Derives the affinity from a column's declared type, as in section 3.1 of "Datatypes In SQLite".
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
