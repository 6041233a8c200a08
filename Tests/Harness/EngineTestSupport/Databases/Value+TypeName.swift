@testable import Lockstep

extension Value {
    /// What `typeof` returns, in upper case.
    var typeName: String { "\(tag)".uppercased() }
}
