public import SystemPackage

/// Where a call takes a path, a literal with interpolations is one: `Store.open("\(folder)/films.db", …)`.
///
/// A path has no quoting, so nothing is changed: a `..` in an interpolated value leads out of the folder.
extension FilePath: @retroactive ExpressibleByStringInterpolation {}
