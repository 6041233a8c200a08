// The negative control of hints.awk, which must find the lines marked with "found", and no other.

// `lockstep verify --fields` in a comment.
let planted = [
    "run `lockstep verify` on it",  // found
    "omit --fields",  // found
    "or " + "`lockstep keys accept-database`",  // found
    "begin with `lockstep "  // found
        + "verify`",
    "it has \(names.joined(separator: ", ")): see `lockstep plan`",  // found
    "\(isOpen ? "\(count) of --jobs" : "none")",  // found
    // "pass --set"
    "`-- lockstep: up` in the file",  // "pass --set", and `lockstep plan`
    "--age-plugin=recipient-v1", "SELECT 1 -- lockstep: up", "https://lockstep.example",
    "lockstep keyring 1", "lockstep completed part 1",
]
let long = """
    raise the limit: --timeout  // found
    or run `lockstep migrate`  // found
    -- lockstep: no transaction
    """
