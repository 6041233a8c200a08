import SystemPackage
import TestSupport

@testable import Lockstep
@testable import LockstepTool

/// One thing that a user can do with databases, copies, keyrings and keys, and what it means for the rows that must
/// still be readable afterwards.
struct CustodyVerb: Sendable, CustomStringConvertible {
    /// The rows of each database file.
    typealias Truth = [String: [String]]
    /// The verb makes no sense in this state.
    struct NotNow: Error {}

    let description: String
    /// - Throws: What makes the command fail.
    let run: @Sendable (CustodyBench, inout Truth) throws -> Void

    init(
        _ description: String, _ run: @escaping @Sendable (CustodyBench, inout Truth) throws -> Void
    ) {
        (self.description, self.run) = (description, run)
    }

    private static let keys = "--keys @keys --key-file @kf"
    private static let fields = "--fields people"
    private static let plain = ["P/p"]

    /// - Parameters:
    ///   - line: `%` stands for the keyring of `name`.
    ///   - here: The files that must be there, or must not (`!`).
    private static func tool(
        _ description: String, _ line: String, _ name: String = "a", _ here: [String] = [],
        _ effect: @escaping @Sendable (inout Truth) -> Void = { _ in }
    ) -> CustodyVerb {
        CustodyVerb(description) { bench, truth in
            try require(here, bench)
            let keyring = keyring(of: name, bench)
            try bench.run(
                line.replacing("%", with: "--keyring @\(keyring)") + " \(keys)")
            effect(&truth)
        }
    }

    static func require(_ here: [String], _ bench: CustodyBench) throws {
        for file in here {
            let isAbsent = file.hasPrefix("!")
            let name = isAbsent ? String(file.dropFirst()) : file
            let path = name.contains(".") ? name : "\(name).db"
            guard bench.exists(path) != isAbsent else { throw NotNow() }
        }
    }

    /// The keyring that the user has for a database.
    static func keyring(of name: String, _ bench: CustodyBench) -> String {
        let own = "keys/d.database.keyring"
        return name.hasPrefix("d") && bench.exists(own) ? own : CustodyBench.sharedKeyring
    }

    // MARK: Files

    private static let files: [CustodyVerb] =
        [("a", "d"), ("c", "a"), ("a", "b")].map { from, to in
            CustodyVerb("cp \(from) \(to)") { bench, truth in
                try require([from], bench)
                try bench.copy("\(from).db", to: "\(to).db")
                truth["\(to).db"] = truth["\(from).db"]
            }
        }
        + [("a", "d"), ("d", "a"), ("c", "a")].map { from, to in
            CustodyVerb("mv \(from) \(to)") { bench, truth in
                try require([from], bench)
                try bench.move("\(from).db", to: "\(to).db")
                truth["\(to).db"] = truth.removeValue(forKey: "\(from).db")
            }
        }
        + ["a", "c", "d"].map { name in
            CustodyVerb("rm \(name)") { bench, truth in
                try require([name], bench)
                try bench.remove("\(name).db")
                truth["\(name).db"] = nil
            }
        }
        + [
            CustodyVerb("exchange a b") { bench, truth in
                try require(["a", "b"], bench)
                let other = try Bytes.read(bench.path("b.db"))
                try bench.move("a.db", to: "b.db")
                try bench.folder.write("a.db", other)
                (truth["a.db"], truth["b.db"]) = (truth["b.db"], truth["a.db"])
            }
        ]

    // MARK: Copies

    private static let copies: [CustodyVerb] =
        ["a", "b"].map { name in
            tool("backup \(name) c", "backup @c.db -d @\(name).db %", name, [name, "!c"]) {
                $0["c.db"] = $0["\(name).db"]
            }
        }
        + [("c", "a", ""), ("c", "a", fields), ("c", "b", ""), ("c", "d", ""), ("d", "a", "")]
        .map { from, to, fields in
            tool(
                "restore \(from) \(to)\(fields.isEmpty ? "" : " fields")",
                "restore @\(from).db -d @\(to).db % \(fields)",
                "a", [from]
            ) { $0["\(to).db"] = $0["\(from).db"] }
        }
        + [
            tool("salvage a d", "salvage @d.db -d @a.db % \(fields)", "a", ["a", "!d"]) {
                $0["d.db"] = $0["a.db"]
            },
            tool("salvage c d", "salvage @d.db -d @c.db %", "a", ["c", "!d"]) {
                $0["d.db"] = $0["c.db"]
            },
            tool("fork c", "keys fork @c.db -d @a.db %", "a", ["c"]),
            tool("fork c fields", "keys fork @c.db -d @a.db % \(fields)", "a", ["c"]),
            tool("fork d", "keys fork @d.db -d @a.db %", "a", ["d"]),
            tool("init d", "init -d @d.db", "d", ["!d"]) { $0["d.db"] = [] },
            tool("adopt d", "adopt @plain.sqlite -d @d.db", "d", ["!d"]) { $0["d.db"] = plain },
            tool("adopt d shared", "adopt @plain.sqlite -d @d.db % --share-keyring", "a", ["!d"]) {
                $0["d.db"] = plain
            },
            tool(
                "export a", "export database @out.sqlite -d @a.db % --plaintext --i-understand",
                "a",
                ["a", "!out.sqlite"]),
            CustodyVerb("provision d from c") { bench, truth in
                try require(["c", "!d"], bench)
                try provision("c.db", "d.db", bench)
                truth["d.db"] = truth["c.db"]
            },
        ]

    private static func provision(_ from: String, _ to: String, _ bench: CustodyBench) throws {
        let file = bench.file(CustodyBench.sharedKeyring)
        var keyring = try file.open { _ in try KeyFile.read(bench.path("kf")) }
        let fieldsFile = bench.file(CustodyBench.fieldsKeyring)
        var fields = try fieldsFile.open { _ in try KeyFile.read(bench.path("kf")) }
        var options = ConnectionOptions()
        options.fieldKeys = [try fields.fieldKeys(named: "people")]
        var provisioning = Provisioning(
            bench.path(to), from: bench.path(from), options: options)
        provisioning.sharesCells = true
        try provisioning.run(
            key: keyring.activeDatabaseKey(),
            templateKey: keyring.databaseKey(ofBackup: bench.path(from))
        )
        options.mayBeUnsealed = true
        options.mayBeUnknown = true
        let connection = try Connection.open(bench.path(to), key: keyring.keyOfNew(bench.path(to)), options: options)
        try keyring.bind(connection, in: file)
        try fieldsFile.remember(&fields, sealedIn: connection)
    }

    // MARK: Content

    private static let content: [CustodyVerb] =
        ["a", "b", "c", "d"].flatMap { name in
            [
                CustodyVerb("write \(name)") { bench, truth in
                    try require([name], bench)
                    guard let rows = truth["\(name).db"], !rows.isEmpty, !rows.contains("new/new")
                    else { throw NotNow() }
                    try bench.write("\(name).db", keyring(of: name, bench))
                    truth["\(name).db"] = rows + ["new/new"]
                }, tool("migrate \(name)", "migrate -m @people -d @\(name).db % \(fields)", name, [name]),
            ]
                + ["seal", "unseal", "reseal"].map { verb in
                    tool("\(verb) \(name)", "\(verb) person.ssn -d @\(name).db % \(fields)", name, [name])
                }
        }
        + [
            tool(
                "migrate safe a", "migrate --safe --keep 0 -m @people -d @a.db % \(fields)", "a",
                ["a"]),
            tool("rollback a", "rollback -m @people -d @a.db % \(fields)", "a", ["a"]),
        ]

    // MARK: Keys

    private static let rotations: [CustodyVerb] =
        ["a", "b", "c", "d"].map { name in
            CustodyVerb("rotate \(name)") { bench, _ in try rotate(name, "", bench) }
        } + [
            CustodyVerb("rotate compromised a") { bench, _ in
                try rotate("a", "--compromised", bench)
            }
        ]

    /// At most to the third key.
    private static func rotate(_ name: String, _ option: String, _ bench: CustodyBench) throws {
        try require([name], bench)
        let keyring = keyring(of: name, bench)
        guard try bench.exists(keyring) && bench.opened(keyring).keyring.document.keys.count < 3 else { throw NotNow() }
        try bench.run("keys rotate-database -d @\(name).db --keyring @\(keyring) \(keys) \(option)")
    }

    private static let keyrings: [CustodyVerb] =
        ["field", "index"].flatMap { kind in
            [
                CustodyVerb("create \(kind)") { bench, _ in
                    let document = try bench.opened(CustodyBench.fieldsKeyring).keyring.document
                    guard document.keys.count(where: { $0.kind.rawValue == kind }) < 2 else {
                        throw NotNow()
                    }
                    try bench.run("keys create-key \(kind) --dataset people \(keys)")
                },
                tool("activate \(kind)", "keys activate-key \(kind) 2 --dataset people"),
                destroy("destroy \(kind) 1, a", kind, ["a"]), destroy("destroy \(kind) 1, a b", kind, ["a", "b"]),
                destroy("destroy \(kind) 1, a b d", kind, ["a", "b", "d"]),
            ]
        }
        + [
            destroy("destroy database 1", "database", []), destroy("destroy database 1, a", "database", ["a"]),
            destroy("destroy database 1, a b d", "database", ["a", "b", "d"]),
            tool("compromised database 1", "keys mark-compromised database 1 %"),
            tool("add-slot", "keys add-slot second --new-key-file @kf2 %"),
            tool("add-slot a", "keys add-slot second --new-key-file @kf2 -d @a.db"),
            tool("remove-slot", "keys remove-slot second %"), tool("rotate-ring", "keys rotate-ring --drop-others %"),
            tool("rotate-ring a", "keys rotate-ring --drop-others -d @a.db"),
            tool("add-slot fields", "keys add-slot second --new-key-file @kf2 --dataset people"),
            tool("rotate-ring fields", "keys rotate-ring --drop-others --dataset people"),
            tool("accept a", "keys accept-database --i-understand -d @a.db % \(fields)", "a", ["a"]),
            tool("accept c", "keys accept-database --i-understand -d @c.db % \(fields)", "a", ["c"]),
            tool("accept new d", "keys accept-database --new --i-understand -d @d.db %", "a", ["d"]),
            older(CustodyBench.sharedKeyring), newest(CustodyBench.sharedKeyring),
            older(CustodyBench.fieldsKeyring), newest(CustodyBench.fieldsKeyring),
        ]

    /// Puts back the keyring of the beginning, and keeps the one that was there.
    private static func older(_ keyring: String) -> CustodyVerb {
        let aside = keyring.replacing("keys/", with: "aside/")
        return CustodyVerb("older \(keyring)") { bench, _ in
            guard let first = bench.firstKeyrings[keyring], bench.exists(keyring),
                !bench.exists(aside), try Bytes.read(bench.path(keyring)) != first
            else { throw NotNow() }
            try bench.move(keyring, to: aside)
            try bench.folder.write(keyring, first)
        }
    }

    /// Puts the newest keyring back, and keeps the one that was there if that has changed.
    private static func newest(_ keyring: String) -> CustodyVerb {
        let aside = keyring.replacing("keys/", with: "aside/")
        return CustodyVerb("newest \(keyring)") { bench, _ in
            guard bench.exists(aside) else { throw NotNow() }
            let (now, then) = (try Bytes.read(bench.path(keyring)), try Bytes.read(bench.path(aside)))
            try bench.remove(aside)
            if now != bench.firstKeyrings[keyring] { try bench.folder.write(aside, now) }
            try bench.remove(keyring)
            try bench.folder.write(keyring, then)
        }
    }

    // MARK: Destroying

    /// Destroys the first key of a kind. What only copies still need it for is lost, and the user has confirmed that.
    private static func destroy(
        _ description: String, _ kind: String, _ names: [String]
    ) -> CustodyVerb {
        CustodyVerb(description) { bench, truth in
            let given = names.filter { bench.exists("\($0).db") }
            guard given.isEmpty == names.isEmpty else { throw NotNow() }
            let databases = given.map { "-d @\($0).db" }.joined(separator: " ")
            let isDatabase = kind == "database"
            let copies = try copies(isDatabase ? nil : kind, bench)
            try bench.destroy(
                kind,
                isDatabase
                    ? "keys destroy-key \(kind) 1 --i-understand \(databases) --keyring @\(CustodyBench.sharedKeyring) \(keys)"
                    : "keys destroy-key \(kind) 1 --i-understand \(databases) --dataset people "
                        + "--database-keyring @\(CustodyBench.sharedKeyring) \(keys)")
            for copy in copies { truth[copy] = nil }
        }
    }

    /// The files that are no databases: copies by their role, and second files of a database that lies where the
    /// keyring saw it.
    private static func copies(_ kind: String?, _ bench: CustodyBench) throws -> [String] {
        try CustodyBench.databases.filter { name in
            guard let file = try FileSummary.read(name, bench) else { return false }
            if file.content.role == .copy { return true }
            let opened = try bench.opened(CustodyBench.sharedKeyring)
            guard let id = file.content.database, let record = opened.keyring.record(of: id),
                let place = try opened.file.place(of: record),
                place != bench.path(name).real, let known = place.lastComponent?.string
            else { return false }
            return try FileSummary.read(known, bench)?.content.database == id
        }
    }

    /// All of them.
    static let all = files + copies + content + rotations + keyrings + kills + [logAside]

    static func named(_ name: String) -> CustodyVerb? { all.first { $0.description == name } }

    /// Several, of which each is left out that is refused.
    static func each(_ verbs: [CustodyVerb]) -> CustodyVerb {
        CustodyVerb(verbs.map(\.description).joined(separator: " and ")) { bench, truth in
            for verb in verbs { try? verb.run(bench, &truth) }
        }
    }

    /// Another one at the first step of the first.
    static func beside(_ first: CustodyVerb, _ second: CustodyVerb) -> CustodyVerb {
        CustodyVerb("\(first) beside \(second)") { bench, truth in
            let before = truth
            // Safe by this proof: the second runs on the thread of the first.
            nonisolated(unsafe) var lost: [String] = []
            bench.beside = { [unowned bench] in
                var truth = before
                // What is refused changes nothing.
                guard (try? second.run(bench, &truth)) != nil else { return }
                lost = before.keys.filter { truth[$0] == nil }
            }
            defer {
                bench.beside = nil
                for name in lost where truth[name] == before[name] { truth[name] = nil }
                // What is restored from a copy whose cells were given up meanwhile has the same cells.
                let areCells = second.description.contains("destroy field")
                let givenUp = areCells ? lost.map { before[$0] } : []
                for (name, rows) in truth where before[name] != rows && givenUp.contains(rows) {
                    truth[name] = nil
                }
            }
            try first.run(bench, &truth)
        }
    }

    // MARK: Schedules

    /// Jobs beside which others run.
    static let jobs =
        [
            "restore c d", "restore c a fields", "adopt d shared", "salvage a d", "rotate a",
            "rotate b", "reseal a", "unseal b",
        ].compactMap(named)

    /// What runs beside them. Rotations come before what destroys the key that they retire.
    static let besides =
        ["rotate compromised a", "rotate-ring a", "rotate-ring fields", "add-slot a", "reseal a"].compactMap(named)
        + [
            ["rotate a", "rotate b", "destroy database 1, a"],
            ["reseal a", "reseal b", "destroy field 1, a b"],
        ].map { each($0.compactMap(named)) }

    /// A negative control: a restore that has no lock and does not look at the key again.
    static let unlockedRestore = CustodyVerb("restore c d without locks") { bench, truth in
        let file = bench.file(CustodyBench.sharedKeyring)
        var keyring = try file.open { _ in try KeyFile.read(bench.path("kf")) }
        let (backup, path) = (bench.path("c.db"), bench.path("d.db"))
        try Restore(path, from: backup).run(
            key: keyring.activeDatabaseKey(), backupKey: keyring.databaseKey(ofBackup: backup)
        ) { _ in bench.step() }
        truth["d.db"] = truth["c.db"]
        try Fork(of: path, keyring: file).run(&keyring)
    }
}

extension FilePath {
    /// The path that links lead to.
    var real: FilePath { (try? RealPath.of(self)) ?? self }
}
