/// An error of a test, thrown to end what calls it.
struct Stop: Error, Equatable {}
