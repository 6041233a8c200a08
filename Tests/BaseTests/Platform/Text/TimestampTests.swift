import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Timestamps")
struct TimestampTests {
    @Test("A moment is written in UTC, to the microsecond")
    func text() {
        for (microseconds, text) in [
            (0, "1970-01-01T00:00:00.000000Z"), (-1, "1969-12-31T23:59:59.999999Z"),
            (951_782_399_000_042, "2000-02-28T23:59:59.000042Z"),
            (-62_135_596_800_000_000, "0001-01-01T00:00:00.000000Z"),
        ] as [(Int64, String)] {
            let moment = Timestamp(microsecondsSinceEpoch: microseconds)
            #expect("\(moment)" == text && moment.microsecondsSinceEpoch == microseconds)
        }
    }

    @Test("For people, a fraction of a second is dropped")
    func people() {
        for (microseconds, text) in [
            (951_782_399_999_999, "2000-02-28 23:59:59Z"), (-1, "1969-12-31 23:59:59Z"),
            (Int64.min, "-290308-12-21 19:59:05Z"), (Int64.max, "294247-01-10 04:00:54Z"),
        ] as [(Int64, String)] {
            #expect(Timestamp(microsecondsSinceEpoch: microseconds).readable == text)
        }
    }

    @Test("In a file's name it has no character that a file system might refuse")
    func fileNames() {
        for (seconds, name) in [(951_782_399, "20000228T235959Z"), (0, "19700101T000000Z")] as [(Int64, String)] {
            #expect(Timestamp(secondsSinceEpoch: seconds).fileName == name)
            #expect(Timestamp.isFileName(name))
        }
        for other in ["", "20000228T235959", "20000228 235959Z", "2000022xT235959Z"] {
            #expect(!Timestamp.isFileName(other))
        }
    }

    @Test("Earlier moments come first")
    func order() {
        let moments = [2, -1, 0].map { Timestamp(microsecondsSinceEpoch: $0) }
        #expect(moments.sorted().map(\.microsecondsSinceEpoch) == [-1, 0, 2])
    }
}
