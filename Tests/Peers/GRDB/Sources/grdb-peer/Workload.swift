import GRDB

/// The workloads and their variants; the first variant is the default.
enum Workload {
    private static let variants = [
        ("open", ["pool"]),
        ("insert", ["arguments", "unchecked", "record", "codable"]),
        ("scan", ["index", "named", "codable"]),
        ("point", ["pool", "transaction"]),
        ("update", ["arguments"]),
        ("commit", ["sql", "record", "autocommit"]),
        ("concurrent", ["pool"]),
    ]

    static var list: String {
        let lists = variants.map { name, variants in
            "\"\(name)\":[\(variants.map { "\"\($0)\"" }.joined(separator: ","))]"
        }
        return #"{"peer":"grdb","encrypted":false,"workloads":{\#(lists.joined(separator: ","))}}"#
    }

    static func run(_ options: Options, _ outcome: inout Outcome) async throws {
        guard options.workload != "fill" else {
            return try Writing.insert(options, "arguments", &outcome)
        }
        guard let (_, known) = variants.first(where: { $0.0 == options.workload }) else {
            throw Usage("there is no workload \(options.workload)")
        }
        let variant = options.variant ?? known[0]
        guard known.contains(variant) else {
            throw Usage("\(options.workload) has no variant \(variant)")
        }
        outcome.variant = variant
        switch options.workload {
        case "open": try Reading.open(options, &outcome)
        case "insert": try Writing.insert(options, variant, &outcome)
        case "scan": try Reading.scan(options, variant, &outcome)
        case "point" where variant == "pool": try await Reading.pool(options, &outcome)
        case "point": try Reading.transaction(options, &outcome)
        case "update": try Writing.update(options, &outcome)
        case "commit": try Writing.commit(options, variant, &outcome)
        default: try await Writing.concurrent(options, &outcome)
        }
    }
}
