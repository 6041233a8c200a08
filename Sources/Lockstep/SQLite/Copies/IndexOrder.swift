/// The order that an index of a file gives to the texts of one of its columns, for a collation that only another program
/// has.
///
/// Entries with equal values in the columns before form a group, in which the texts stand in the collation's order. Two
/// texts that share a group are ordered by their places in it; where their places interleave, or are others in another
/// group, the collation takes them for equal, and a later column orders them. Of other texts the index says nothing.
struct IndexOrder {
    /// Where a text stands in a group.
    private struct Place {
        let text: UInt128
        let group: UInt32
        var first, last: UInt32
    }

    /// The most places: 256 MiB of 32 bytes.
    private static let limit = 8 << 20

    private let isDescending: Bool
    private var places: [Place] = []

    init(isDescending: Bool) { self.isDescending = isDescending }

    /// Notes an entry of the index. False if there is no room.
    mutating func add(_ text: UInt128, group: UInt32, at place: UInt32) -> Bool {
        if let last = places.indices.last, places[last].text == text, places[last].group == group {
            places[last].last = place
            return true
        }
        guard places.count < Self.limit else { return false }
        places.append(Place(text: text, group: group, first: place, last: place))
        return true
    }

    /// After the last entry.
    mutating func finish() {
        places.sort { ($0.text, $0.group, $0.first) < ($1.text, $1.group, $1.first) }
        var merged: [Place] = []
        for place in places {
            if let last = merged.indices.last, merged[last].text == place.text, merged[last].group == place.group {
                merged[last].last = place.last
            } else {
                merged.append(place)
            }
        }
        places = merged
    }

    /// Below 0 if the first text comes first in every group that has both, above 0 if the second does, 0 if they are equal;
    /// nil if no group has both.
    func compare(_ one: UInt128, _ other: UInt128) -> Int? {
        let (first, second) = (range(of: one), range(of: other))
        let isSwapped = first.count > second.count
        let (few, many) = isSwapped ? (second, first) : (first, second)
        var order: Int?
        for place in places[few] {
            guard let match = self.place(in: many, group: place.group) else { continue }
            let found = place.last < match.first ? -1 : match.last < place.first ? 1 : 0
            guard found != 0, order == nil || order == found else { return 0 }
            order = found
        }
        return order.map { isSwapped != isDescending ? -$0 : $0 }
    }

    private func range(of text: UInt128) -> Range<Int> {
        let start = Self.partition(places.indices) { places[$0].text >= text }
        let end = Self.partition(start..<places.count) { places[$0].text > text }
        return start..<end
    }

    private func place(in range: Range<Int>, group: UInt32) -> Place? {
        let index = Self.partition(range) { places[$0].group >= group }
        return index < range.upperBound && places[index].group == group ? places[index] : nil
    }

    /// The first index of a range from which on a condition holds.
    private static func partition(_ range: Range<Int>, _ holds: (Int) -> Bool) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
