import ArgumentParser

/// Whether a command that reads leaves no trace.
struct ReadOnlyOption: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Write nothing beside the database: no log, index or lock.",
            discussion:
                "Where the database or its folder cannot be written, every command that only reads does so by itself."
        ))
    var readOnly = false
}
