import ArgumentParser

/// `lockstep-bench list`: what `run` can do, in the form that every peer uses.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Print as JSON which workloads `run` knows, in which variants.",
        discussion:
            "The contract is Tests/Peers/README.md. `compare --against` calls it on another build.")

    func run() throws { print(try JSON.line(PeerProgram.Abilities.own)) }
}
