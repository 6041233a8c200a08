internal import Synchronization

/// A flag of a class that is read or written each time a statement runs. A stored `Bool` would cost Swift's
/// run-time check for exclusive access each time: with five flags 3 % of an insert.
///
/// It is for one thread at a time, like what it is a part of.
struct Flag: ~Copyable {
    private let value = Atomic<Bool>(false)

    var isSet: Bool {
        get { value.load(ordering: .relaxed) }
        nonmutating set { value.store(newValue, ordering: .relaxed) }
    }
}
