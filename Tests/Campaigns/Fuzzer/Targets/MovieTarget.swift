@testable import LockstepModels
import Lockstep

/// Lines of films, separated by tabs.
final class MovieTarget: FuzzTarget {
    static let name = "movie"
    static let refusals: Set<LockstepError.Code> = []

    static func seeds() -> [String: [UInt8]] {
        let texts = [
            "film": "Casablanca\tRomance\t1942\thttps://example.org/a\thttps://example.org/b.jpg",
            "bare": "M\t\t1931\t\t", "many": "\u{FEFF}A\tB\t1\t\t\r\nC\tD\t9999\t\t\n\t\t0\t\t\n",
        ]
        return texts.mapValues { Array($0.utf8) }
    }

    func run(_ input: [UInt8]) throws {
        var reader = try LineReader(FuzzFile.write("films.tsv", input), longest: 4000)
        while let line = try reader.next() {
            guard case .bytes(let bytes) = line else { continue }
            do throws(ImportProblem) {
                check(try MovieLine.parse(bytes))
            } catch {}
        }
    }

    private func check(_ movie: Movie) {
        let line = MovieLine.bytes(of: movie)
        do throws(ImportProblem) {
            let again = try MovieLine.parse(Array(line.dropLast()))
            // Separators of lines and fields are written as spaces.
            require(MovieLine.bytes(of: again) == line, "a film is read as another one")
        } catch {
            fatalError("a film that was written is refused: \(error.reason)")
        }
    }
}
