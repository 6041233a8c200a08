import ArgumentParser

/// `lockstep list`: lists the entries of a model store.
struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the entries of a model store.",
        subcommands: [Contacts.self, Microblog.self, Movies.self, Notes.self, Photos.self])
}
