/// A line of the catalogue's TSV: title, category, year, address, cover's address.
enum MovieLine {
    /// Reads a line. The message of the error it throws contains nothing of the line.
    static func parse(_ line: [UInt8]) throws(ImportProblem) -> Movie {
        guard let text = String(validating: line, as: UTF8.self) else {
            throw ImportProblem("it is not valid UTF-8")
        }
        let fields = text.split(separator: "\t", omittingEmptySubsequences: false)
        guard fields.count == 5 else {
            throw ImportProblem("it needs 5 fields and has \(fields.count)")
        }
        guard !fields[0].allSatisfy(\.isWhitespace) else {
            throw ImportProblem("the title is empty")
        }
        guard let year = Int(fields[2]) else {
            throw ImportProblem("the year is not a whole number")
        }
        guard (1...9999).contains(year) else {
            throw ImportProblem("the year is not between 1 and 9999")
        }
        return Movie(
            title: String(fields[0]), category: String(fields[1]), year: year,
            movieURL: fields[3].isEmpty ? nil : String(fields[3]), coverURL: String(fields[4]))
    }

    /// The line of a film, with its ending.
    static func bytes(of movie: Movie) -> [UInt8] {
        let fields = [
            movie.title, movie.category, String(movie.year), movie.movieURL ?? "", movie.coverURL,
        ]
        var line: [UInt8] = []
        for (index, field) in fields.enumerated() {
            if index > 0 { line.append(UInt8(ascii: "\t")) }
            for byte in field.utf8 {
                // TAB, LF and CR.
                line.append([0x09, 0x0A, 0x0D].contains(byte) ? UInt8(ascii: " ") : byte)
            }
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }
}
