import Foundation
import Lockstep

// A notes tool: one encrypted file, and the key file that opens it, in the current folder.

let usage = """
    usage: notes add TEXT…        write a note; without TEXT it is read from standard input
           notes list             list the notes, newest first
           notes show ID          print a note
           notes search WORD…     list the notes that have the words
           notes remove ID        remove a note
    """

/// What the user has to correct.
enum UserError: Error {
    case usage
    case missing(Int64)
}

func run(_ arguments: [String]) async throws {
    guard let command = arguments.first else { throw UserError.usage }
    let rest = arguments.dropFirst()
    let store = try await Store.open(
        "notes.db", key: .keyFile("notes.key"), migrations: EmbeddedMigrations.notes, records: Note.self)
    switch command {
    case "add":
        let text = rest.isEmpty ? readAll() : rest.joined(separator: " ")
        guard !text.isEmpty else { throw UserError.usage }
        print(try await store.insert(Note(text: text, written: .now)).line)
    case "list" where rest.isEmpty:
        let notes = try await store.all(Note.self, orderBy: { [$0.written.descending, $0.id.descending] })
        for note in notes { print(note.line) }
    case "show":
        let number = try id(rest)
        guard let note = try await store.find(Note.self, number) else {
            throw UserError.missing(number)
        }
        print(note.text)
    case "search" where !rest.isEmpty:
        // Quoted, a word of the user is no operator of the search.
        let words = rest.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: " ")
        let found = try await store.read { db in
            try db.decode(
                Note.self,
                """
                SELECT note.* FROM note_text JOIN note ON note.id = note_text.rowid
                WHERE note_text MATCH \(words) ORDER BY rank
                """)
        }
        for note in found { print(note.line) }
    case "remove":
        let number = try id(rest)
        guard try await store.delete(Note.self, where: { $0.id == number }) == 1 else {
            throw UserError.missing(number)
        }
    default:
        throw UserError.usage
    }
    // The log goes into the file, and the file is all there is. After an error it does, too: the store closes when it
    // is released.
    try await store.close()
}

/// The number that is the only argument.
func id(_ arguments: ArraySlice<String>) throws -> Int64 {
    guard arguments.count == 1, let id = arguments.first.flatMap(Int64.init) else {
        throw UserError.usage
    }
    return id
}

func readAll() -> String {
    var lines: [String] = []
    while let line = readLine() { lines.append(line) }
    return lines.joined(separator: "\n")
}

func complain(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

do {
    try await run(Array(CommandLine.arguments.dropFirst()))
} catch UserError.usage {
    complain(usage)
    exit(64)
} catch UserError.missing(let number) {
    complain("error: there is no note \(number)")
    exit(66)
} catch let error as LockstepError {
    complain("error: \(error.message)")
    if let hint = error.hint { complain("hint: \(hint)") }
    exit(1)
} catch {
    complain("error: \(error.localizedDescription)")
    exit(1)
}
