/// Whose rules divide SQL into tokens.
package enum Lexis: Sendable {
    /// SQLite's tokens.
    case sqlite
    /// PostgreSQL's tokens, with `standard_conforming_strings` on, as in every session of ours.
    case postgres
}
