import Lockstep

/// A film, as the table `film` has it. That its title is sealed changes nothing here.
struct Film: Record {
    var id: Int64?
    var title: String
    var category: String
    var year: Int
}
