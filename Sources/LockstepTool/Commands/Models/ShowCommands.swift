import ArgumentParser

/// `lockstep show`: one thing of a model store, whole.
struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show one entry of a model store.",
        subcommands: [Contacts.self, Microblog.self, Movies.self, Notes.self, Photos.self])
}
