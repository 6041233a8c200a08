import ArgumentParser

/// `lockstep list`: what one of the model stores holds, briefly.
struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List what one of the model stores holds.",
        subcommands: [Contacts.self, Microblog.self, Movies.self, Notes.self, Photos.self])
}
