/// A performance goal.
struct Goal: Sendable {
    /// What is compared with what.
    enum Bound: Sendable {
        /// CPU time of at most this multiple of the fastest of a peer's variants; of all its variants if none is named.
        case cpu(atMost: Double, times: String, [String] = [])
        /// The same in the other direction: at least this multiple of the operations in the same CPU time.
        case speed(atLeast: Double, times: String)
        /// Wall-clock time of at most this multiple of the peer's, if both use several cores.
        case wall(atMost: Double, times: String, [String] = [])
        /// At least this multiple of the peer's operations per second.
        case throughput(atLeast: Double, times: String)
        /// Wall-clock microseconds.
        case wallMicroseconds(below: Double)
    }

    let workload: WorkloadName
    /// Lockstep's variant.
    let variant: String
    let bound: Bound

    /// The goals and their conditions; other sizes and caches give other results.
    static let all: [Goal] =
        [
            Goal(.insert, "typed", .cpu(atMost: 1.05, times: "c-sqlcipher")),
            Goal(.insert, "typed", .cpu(atMost: 0.55, times: "grdb")),
            Goal(.insert, "typed", .cpu(atMost: 0.2, times: "grdb", ["record"])),
            Goal(.scan, "row", .cpu(atMost: 1.1, times: "c-sqlcipher", ["copies"])),
            Goal(.scan, "row", .cpu(atMost: 1, times: "grdb")),
            Goal(.scan, "row", .cpu(atMost: 0.45, times: "grdb", ["codable"])),
            Goal(.scan, "codable", .cpu(atMost: 0.8, times: "grdb", ["codable"])),
            Goal(.point, "async", .cpu(atMost: 0.5, times: "grdb", ["pool"])),
            Goal(.point, "transaction", .cpu(atMost: 0.9, times: "c-sqlcipher", ["transaction"])),
            Goal(.point, "transaction", .cpu(atMost: 1, times: "grdb", ["transaction"])),
            Goal(.commit, "sql", .cpu(atMost: 1, times: "grdb", ["sql", "record"])),
            Goal(.concurrent, "tasks", .throughput(atLeast: 5, times: "grdb")),
            Goal(.open, "store", .wallMicroseconds(below: 1000)),
            Goal(.migrate, "folder", .cpu(atMost: 1.3, times: "c-sqlcipher")),
            Goal(.migrate, "folder", .cpu(atMost: 1, times: "sql-migrate")),
            Goal(.migrate, "folder", .cpu(atMost: 1, times: "yoyo")),
            Goal(.migrate, "folder", .cpu(atMost: 1, times: "alembic")),
            Goal(.migrate, "folder", .cpu(atMost: 1, times: "sqitch")),
            Goal(.rerun, "folder", .wallMicroseconds(below: 20_000)),
            Goal(.rebuild, "directive", .cpu(atMost: 1, times: "sqlcipher-shell")),
            Goal(.keyring, "key-file", .wallMicroseconds(below: 5000)),
            Goal(.passphrase, "slot", .cpu(atMost: 1.05, times: PeerProgram.ownName, ["scrypt"])),
            Goal(.sealing, "protect", .cpu(atMost: 2, times: PeerProgram.ownName, ["update"])),
            Goal(.sealing, "verify", .wall(atMost: 1.25, times: PeerProgram.ownName, ["open"])),
            Goal(
                .sealing, "lookup-blind",
                .cpu(atMost: 1.3, times: PeerProgram.ownName, ["lookup-plain"])),
            Goal(.update, "statement", .cpu(atMost: 1.05, times: "c-sqlcipher")),
            // Lockstep makes a copy and verifies it before it replaces the file; the peer changes pages in place.
            Goal(.rotate, "copy", .cpu(atMost: 3, times: "c-sqlcipher")),
            Goal(.verify, "all", .wall(atMost: 1, times: "c-sqlcipher")),
            Goal(.fleet, "jobs", .wall(atMost: 1.3, times: "c-sqlcipher")),
        ]
        + Cells.all.filter { $0.length <= 256 }.map { cells in
            let times = cells.direction == .seal ? 4 : 2.4
            return Goal(.fields, cells.variant, .speed(atLeast: times, times: "swift-crypto"))
        }
        + Cells.all.filter { $0.length == 65_536 }.map { cells in
            Goal(.fields, cells.variant, .speed(atLeast: 1, times: "swift-crypto"))
        }

    init(_ workload: WorkloadName, _ variant: String, _ bound: Bound) {
        self.workload = workload
        self.variant = variant
        self.bound = bound
    }

    /// In words, without the workload.
    var text: String {
        switch bound {
        case .cpu(let limit, let peer, let variants):
            let which = variants.isEmpty ? peer : "\(peer) \(variants.joined(separator: "/"))"
            return "\(variant): CPU at most \(Figures.ratio(limit)) × \(which)"
        case .speed(let limit, let peer):
            return "\(variant): at least \(Figures.ratio(limit)) × as fast as \(peer)"
        case .wall(let limit, let peer, let variants):
            let which = variants.isEmpty ? peer : "\(peer) \(variants.joined(separator: "/"))"
            return "\(variant): wall at most \(Figures.ratio(limit)) × \(which)"
        case .throughput(let limit, let peer):
            return "\(variant): at least \(Figures.ratio(limit)) × the throughput of \(peer)"
        case .wallMicroseconds(let limit):
            return "\(variant): below \(Figures.ratio(limit / 1000)) ms"
        }
    }

    /// One verdict for each round of the workload.
    func verdicts(_ rounds: [Round]) -> [Verdict] {
        rounds.filter { $0.workload == workload }.compactMap { round in
            let own = round.series.first { $0.isOwn && $0.variant == variant }
            // A variant of another group does not belong to this round.
            guard round.group == Round.group(of: variant, in: workload) else { return nil }
            return verdict(round, own)
        }
    }

    private func verdict(_ round: Round, _ own: Series?) -> Verdict {
        let shown = round.name
        let missing = Verdict(
            workload: shown, goal: text, state: .notMeasured, measured: nil, against: nil)
        guard let own else { return missing }
        /// Lockstep's times as multiples of the peer's, or the inverse if more is better.
        func compared(
            _ limit: Double, _ peer: String, _ variants: [String] = [], isSpeed: Bool = false,
            by figure: (Series) -> [Double]
        ) -> Verdict {
            guard let other = Self.best(round, peer, variants, by: figure),
                let ratio = isSpeed
                    ? Spread.ratio(figure(other), to: figure(own))
                    : Spread.ratio(figure(own), to: figure(other))
            else { return missing }
            let holds = isSpeed ? ratio.ofMedians >= limit : ratio.ofMedians <= limit
            return Verdict(
                workload: shown, goal: text, state: holds ? .holds : .missed, measured: ratio,
                against: other.variant)
        }
        switch bound {
        case .cpu(let limit, let peer, let variants):
            return compared(limit, peer, variants, by: \.cpu)
        case .speed(let limit, let peer):
            return compared(limit, peer, [own.variant], isSpeed: true, by: \.cpu)
        case .wall(let limit, let peer, let variants):
            return compared(limit, peer, variants, by: \.wall)
        case .throughput(let limit, let peer):
            return compared(limit, peer, isSpeed: true, by: \.wall)
        case .wallMicroseconds(let limit):
            guard let spread = Spread(own.wall.map { $0 / 1_000_000 }) else { return missing }
            return Verdict(
                workload: shown, goal: text,
                state: spread.median * 1000 < limit ? .holds : .missed,
                measured: RatioSpread(
                    ofMedians: spread.median, least: spread.least, most: spread.most),
                against: nil)
        }
    }

    /// The fastest of a peer's variants: the one that its users would choose.
    private static func best(
        _ round: Round, _ peer: String, _ variants: [String], by figure: (Series) -> [Double]
    ) -> Series? {
        round.series.filter {
            $0.peer == peer && (variants.isEmpty || variants.contains($0.variant))
        }.min {
            (Spread(figure($0))?.median ?? .infinity) < (Spread(figure($1))?.median ?? .infinity)
        }
    }
}

/// The result of a goal in a round.
struct Verdict: Codable, Hashable, Sendable {
    /// Whether the goal is reached.
    enum State: String, Codable, Sendable {
        case holds
        case missed
        /// The peer, or Lockstep's variant, was missing.
        case notMeasured = "not measured"
    }

    let workload: String
    let goal: String
    let state: State
    /// The ratio, or for a bound in milliseconds the milliseconds.
    let measured: RatioSpread?
    /// The peer's fastest variant.
    let against: String?
}

extension Verdict {
    /// For people.
    static func text(_ verdicts: [Verdict]) -> String {
        var table = Table(words: [0, 1, 2, 3])
        for verdict in verdicts {
            var shown = "–"
            if let measured = verdict.measured {
                shown = measured.text
                if let against = verdict.against { shown += " to \(against)" }
            }
            table.rows.append([verdict.workload, verdict.goal, shown, verdict.state.rawValue])
        }
        return (["goals"] + table.lines.map { "  " + $0 }).joined(separator: "\n")
    }
}
