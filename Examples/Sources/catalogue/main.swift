import Foundation
import Lockstep

// A catalogue whose titles are the product: everyone gets the same file, and only customers can read it.

let usage = """
    usage, the publisher:  catalogue add FILMS.tsv          add films to catalogue.db
                           catalogue issue NAME age1…       make the folder NAME for a customer
           the customer:   catalogue identity               make customer.identity, print age1…
                           catalogue find FOLDER [TITLE]    print films
    """

/// What the user has to correct.
struct UsageError: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

func run(_ arguments: [String]) async throws {
    switch (arguments.first, arguments.count) {
    case ("add", 2): try await Publisher.add(arguments[1])
    case ("issue", 3): try await Publisher.issue(to: arguments[1], arguments[2])
    case ("identity", 1): try Customer.makeIdentity()
    case ("find", 2), ("find", 3):
        try await Customer.find(arguments.dropFirst(2).first, in: arguments[1])
    default: throw UsageError(usage)
    }
}

func complain(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

// The keys stay out of core dumps.
ProcessHardening.apply()
do {
    try await run(Array(CommandLine.arguments.dropFirst()))
} catch let error as UsageError {
    complain(error.text)
    exit(64)
} catch let error as LockstepError {
    complain("error: \(error.message)")
    if let hint = error.hint { complain("hint: \(hint)") }
    exit(1)
} catch {
    complain("error: \(error.localizedDescription)")
    exit(1)
}
