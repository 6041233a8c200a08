import Foundation

/// A part of a ``Campaign``, which counts its steps and knows when to stop between two of them.
public final class CampaignPart: Sendable {
    private struct State {
        var line: CampaignLine
        var isEnded = false
    }

    private let campaign: Campaign
    private let start: Duration
    private let limit: Duration?
    private let lock = NSLock()
    // Safe by this proof: touched only while the lock is held.
    nonisolated(unsafe) private var state: State

    init(_ name: String, of campaign: Campaign, from start: Duration, to limit: Duration?) {
        self.campaign = campaign
        self.start = start
        self.limit = limit
        state = State(
            line: CampaignLine(campaign: campaign.name, part: name, seed: campaign.seed))
    }

    var isTimeOver: Bool {
        if campaign.surroundings.isEnding() { return true }
        guard let limit else { return false }
        return campaign.surroundings.now() >= limit
    }

    /// Whether its share of the time is over, for a step that can stop in its middle.
    public var isOver: Bool { campaign.surroundings.isLong && isShareOver(after: 1) }

    /// Whether its share of the time is over. The first step needs only that the campaign has time left.
    private func isShareOver(after steps: Int) -> Bool {
        if steps == 0 || isTimeOver { return isTimeOver }
        guard let limit else { return false }
        return campaign.surroundings.now() >= campaign.share(from: start, to: limit)
    }

    /// Counts a step and returns true, or returns false at the end of the part's time. For work that can be completed:
    /// only the long form limits it.
    public func goesOn() -> Bool {
        takeStep { campaign.surroundings.isLong && isShareOver(after: $0) }
    }

    /// The same for endless work, of which `enough` steps are sufficient where no time is set.
    /// - Parameter count: The steps so far of the caller, who can be one of many.
    public func goesOn(after count: Int, of enough: Int) -> Bool {
        if campaign.surroundings.limit == nil, count >= enough { return false }
        return takeStep { isShareOver(after: $0) }
    }

    private func takeStep(unless isOver: (Int) -> Bool) -> Bool {
        let isOver = isOver(lock.withLock { state.line.steps })
        lock.withLock {
            if isOver { note(.time) } else { state.line.steps += 1 }
        }
        return !isOver
    }

    func stopBeforeStep() { lock.withLock { note(.time) } }

    /// Only with the lock.
    private func note(_ end: CampaignLine.End) {
        guard state.line.end == .complete else { return }
        state.line.end = campaign.surroundings.isEnding() && end == .time ? .signal : end
    }

    /// Adds to one of the counts that the line has, such as `kills`.
    public func count(_ what: String, _ number: Int = 1) {
        lock.withLock { state.line.add(number, what) }
    }

    /// Whether `check`, which holds only for a complete part, can be made. If not, the line says so.
    public func isComplete(for check: String) -> Bool {
        lock.withLock {
            if state.line.end == .complete { return true }
            state.line.unchecked.append(check)
            return false
        }
    }

    /// The seconds of its share that are left, at least one, for steps that stop by themselves; nil without a limit.
    public var secondsLeft: Int? {
        limit.map { end in
            let left = campaign.share(from: start, to: end) - campaign.surroundings.now()
            return max(Int(left.components.seconds), 1)
        }
    }

    /// A step has stopped in its middle, at the end of its time.
    public func stopAtTime() { lock.withLock { note(.time) } }

    /// Prints the line, once.
    public func end() { finish(nil) }

    /// Prints the line in the middle of a step, because the process ends now.
    func endInStep() { finish(.step) }

    private func finish(_ end: CampaignLine.End?) {
        let line: CampaignLine? = lock.withLock {
            guard !state.isEnded else { return nil }
            state.isEnded = true
            if let end { state.line.end = end }
            state.line.duration = campaign.surroundings.now() - start
            return state.line
        }
        guard let line else { return }
        campaign.endPart()
        CampaignSignals.forget(self)
        campaign.surroundings.show(line.description)
    }
}
