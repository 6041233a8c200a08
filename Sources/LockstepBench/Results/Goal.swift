import BenchKit

/// A performance goal of a workload. Other sizes and caches than the defaults give other results.
struct Goal: Sendable {
    /// The compared pair.
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

    /// Lockstep's variant.
    let variant: String
    let bound: Bound

    init(_ variant: String, _ bound: Bound) {
        self.variant = variant
        self.bound = bound
    }

    /// The verdicts on all goals, in the order of Tests/Peers/RESULTS.md, so that reports can be compared line by line.
    static func verdicts(_ rounds: [Round]) -> [Verdict] {
        Workloads.startingWith([
            InsertWorkload.self, ScanWorkload.self, PointWorkload.self, CommitWorkload.self,
            ConcurrentWorkload.self, OpenWorkload.self, StartWorkload.self, MigrateWorkload.self,
            RerunWorkload.self, RebuildWorkload.self, KeyringWorkload.self, PassphraseWorkload.self,
            SealingWorkload.self, UpdateWorkload.self, RotateWorkload.self, VerifyWorkload.self,
        ]).flatMap { workload in
            let rounds = rounds.filter { $0.workload.type == workload }
            return workload.goals.flatMap { $0.verdicts(rounds) }
        }
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

    /// One verdict for each round of its workload.
    func verdicts(_ rounds: [Round]) -> [Verdict] {
        rounds.compactMap { round in
            let own = round.series.first { $0.isOwn && $0.variant == variant }
            // A variant of another group does not belong to this round.
            guard round.group == round.workload.type.group(of: variant) else { return nil }
            return verdict(round, own)
        }
    }

    private func verdict(_ round: Round, _ own: Series?) -> Verdict {
        let shown = round.name
        let missing = Verdict(workload: shown, goal: text, state: .notMeasured, measured: nil, against: nil)
        guard let own else { return missing }
        /// Lockstep's times as multiples of the peer's, or the inverse if more is better.
        func compared(
            _ limit: Double, _ peer: String, _ variants: [String] = [], isSpeed: Bool = false,
            by figure: (Series) -> [Double]
        ) -> Verdict {
            guard let other = Self.best(round, peer, variants, by: figure),
                let ratio = isSpeed
                    ? Spread.ratio(figure(other), to: figure(own)) : Spread.ratio(figure(own), to: figure(other))
            else { return missing }
            let holds = isSpeed ? ratio.ofMedians >= limit : ratio.ofMedians <= limit
            return Verdict(
                workload: shown, goal: text, state: holds ? .holds : .missed, measured: ratio, against: other.variant)
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
