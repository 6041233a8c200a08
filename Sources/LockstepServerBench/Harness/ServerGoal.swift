import BenchKit

/// A bound of one program's figure.
struct ServerGoal: Codable, Sendable {
    /// What is compared.
    enum Figure: Codable, Sendable {
        case wall
        /// A part of the wall-clock time of the own program.
        case part(String)
        /// Peak memory in MiB: the limit is no ratio.
        case peak
    }

    let own: String
    var figure = Figure.wall
    let limit: Double
    /// The best of these counts; none for a bound that is no ratio.
    var peers: [String] = []

    var text: String {
        let what =
            switch figure {
            case .wall: "\(own): wall"
            case .part(let part): "\(own), \(part): wall"
            case .peak: "\(own): peak memory"
            }
        let bound = Figures.ratio(limit)
        guard !peers.isEmpty else { return "\(what) at most \(bound) MiB" }
        return "\(what) at most \(bound) × \(peers.joined(separator: " or "))"
    }

    /// The ratio, or the figure of a bound that is none; nil if a program is missing.
    func measure(_ entries: [Contest.Entry]) -> RatioSpread? {
        guard let one = entries.first(where: { $0.name == own }).map(values), !one.isEmpty
        else { return nil }
        guard !peers.isEmpty else {
            return Spread(one).map {
                RatioSpread(ofMedians: $0.most, least: $0.least, most: $0.most)
            }
        }
        let others = entries.filter { peers.contains($0.name) }.map { entry in
            entry.samples.compactMap { sample in
                if case .peak = figure { return sample.peakKiB.map(Double.init) }
                return sample.wall
            }
        }
        let best = others.min {
            (Spread($0)?.median ?? .infinity) < (Spread($1)?.median ?? .infinity)
        }
        return best.flatMap { Spread.ratio(one, to: $0) }
    }

    private func values(_ entry: Contest.Entry) -> [Double] {
        entry.samples.compactMap { sample in
            switch figure {
            case .wall: sample.wall
            case .part(let part): sample.parts[part]
            case .peak: sample.peakKiB.map { peers.isEmpty ? Double($0) / 1024 : Double($0) }
            }
        }
    }
}
