import ArgumentParser

/// `lockstep show`: shows one entry of a model store in full.
struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show one entry of a model store.",
        subcommands: [Contacts.self, Microblog.self, Movies.self, Notes.self, Photos.self])
}
