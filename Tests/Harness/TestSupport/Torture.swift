import Foundation

/// The form of campaigns, from the environment: short in a plain test run, the long form by LOCKSTEP_TORTURE=1, each
/// for as long as LOCKSTEP_TORTURE_SECONDS says, and repeated with the same seed by LOCKSTEP_TEST_SEED. See
/// ``Campaign``.
public enum Torture {
    /// Whether campaigns run in their long form, by LOCKSTEP_TORTURE=1.
    public static let isLong = ProcessInfo.processInfo.environment["LOCKSTEP_TORTURE"] != nil

    /// The duration of each campaign, by LOCKSTEP_TORTURE_SECONDS; nil for a run that ends by itself.
    public static let duration: Duration? = number(of: "LOCKSTEP_TORTURE_SECONDS").map {
        .seconds($0)
    }

    /// Whether this is the long form with at least so much time: for steps that take long.
    public static func isLong(with least: Duration) -> Bool {
        isLong && duration.map { $0 >= least } ?? true
    }

    /// The minutes after which a campaign's test hangs: these, and those of the campaign.
    public static func minutes(_ own: Int) -> Int {
        own + Int(duration?.components.seconds ?? 0) / 60
    }

    /// The seed of this process, which is printed.
    public static let seed: UInt64 = {
        let seed = number(of: "LOCKSTEP_TEST_SEED").map { UInt64($0) } ?? UInt64.random(in: 0..<1 << 32)
        print("LOCKSTEP_TEST_SEED=\(seed)")
        return seed
    }()

    /// The seed of campaigns over generated cases. In a plain test run it is constant, so that a campaign fails only if
    /// the code has changed; in the long form it is new each time.
    public static let campaignSeed = number(of: "LOCKSTEP_TEST_SEED").map { UInt64($0) } ?? (isLong ? seed : 20_261_123)

    private static func number(of variable: String) -> UInt32? {
        ProcessInfo.processInfo.environment[variable].flatMap { UInt32($0) }
    }
}

extension SplitMix64 {
    /// One of the independent generators of this process's seed.
    public init(stream: Int) {
        self.init(state: Torture.seed &+ UInt64(truncatingIfNeeded: stream) &* 0xD1B5_4A32_D192_ED03)
    }
}
