/// A line of the catalogue's TSV: title, category, year, address, cover's address, watched, likes. The original
/// program's lines end after the fifth field.
enum MovieLine {
    /// Reads a line. The message of the error it throws contains nothing of the line.
    static func parse(_ line: [UInt8]) throws(ImportProblem) -> Movie {
        guard let text = String(validating: line, as: UTF8.self) else {
            throw ImportProblem("it is not valid UTF-8")
        }
        let fields = text.split(separator: "\t", omittingEmptySubsequences: false)
        guard [5, 7].contains(fields.count) else {
            throw ImportProblem("it needs 5 or 7 fields and has \(fields.count)")
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
        var movie = Movie(
            title: String(fields[0]), category: String(fields[1]), year: year,
            movieURL: fields[3].isEmpty ? nil : String(fields[3]), coverURL: String(fields[4]))
        if fields.count == 7 {
            guard let watched = ["0": false, "1": true][fields[5]] else {
                throw ImportProblem("watched is neither 0 nor 1")
            }
            guard let likes = Int(fields[6]), Movie.likesRange.contains(likes) else {
                throw ImportProblem("the likes are not a number from 0 to 3")
            }
            (movie.isWatched, movie.likes) = (watched, likes)
        }
        return movie
    }

    /// The line of a film, with its ending.
    static func bytes(of movie: Movie) -> [UInt8] {
        let fields = [
            movie.title, movie.category, String(movie.year), movie.movieURL ?? "", movie.coverURL,
            movie.isWatched ? "1" : "0", String(movie.likes),
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
