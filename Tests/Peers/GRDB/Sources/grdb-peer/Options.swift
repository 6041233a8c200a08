/// What the command line asks for.
struct Options {
    var workload = ""
    var variant: String?
    var path = ""
    var rows: Int64 = 1_000_000
    var operations: Int64 = 10_000
    var cacheBytes: Int64 = 64 * 1024 * 1024
    var isFull = false

    init(_ arguments: [String]) throws {
        guard let workload = arguments.first else { throw Usage("name a workload, or list") }
        self.workload = workload
        var rest = arguments.dropFirst()
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Usage("\(name) needs a value") }
            switch name {
            case "--path": path = value
            case "--rows": rows = try Self.number(name, value)
            case "--operations": operations = try Self.number(name, value)
            case "--cache": cacheBytes = try Self.number(name, value)
            case "--variant": variant = value
            case "--key": break  // Nothing is encrypted here.
            case "--sync":
                guard value == "full" || value == "normal" else { throw Usage("--sync \(value)") }
                isFull = value == "full"
            default: throw Usage("there is no option \(name)")
            }
        }
        guard !path.isEmpty else { throw Usage("--path is missing") }
    }

    private static func number(_ name: String, _ value: String) throws -> Int64 {
        guard let number = Int64(value), number > 0 else {
            throw Usage("\(name) needs a number above 0, not \(value)")
        }
        return number
    }
}

/// The error for a command line that asks for something unknown.
struct Usage: Error {
    let message: String

    init(_ message: String) { self.message = message }
}
