import Lockstep
import Testing

@testable import LockstepPostgres

@Suite("Where look-ups in sealed columns may stand")
struct LookupClauseTests {
    /// `?` is the look-up, which leaves nothing in the text.
    private func refusal(_ sql: String) -> String? {
        let parts = sql.split(separator: "?", omittingEmptySubsequences: false)
        do throws(LookupClause.Obstacle) {
            try LookupClause(parts.joined()).requireConjunct(at: parts[0].utf8.count)
            return nil
        } catch {
            return error.what
        }
    }

    @Test(
        "As a conjunct of WHERE, or of the ON of an inner join",
        arguments: [
            "SELECT id, title FROM film WHERE ?", "SELECT id, title FROM film WHERE ?;",
            "SELECT id, title FROM film WHERE id < 5 AND ? AND year = 3 ORDER BY id",
            "SELECT id, title FROM film WHERE (?) ORDER BY id",
            "SELECT id, title FROM film WHERE ((id < 5 AND (?)) AND true)",
            "SELECT id, title FROM film WHERE id BETWEEN 1 AND 5 AND ?",
            "SELECT id, title FROM film WHERE id BETWEEN 1 AND 5 AND (? AND year BETWEEN 2 AND 3)",
            "SELECT f.id, f.title FROM film AS f JOIN year AS y ON ? AND y.id = f.year WHERE y.n = 1",
            "SELECT f.id, f.title FROM film AS f JOIN year AS y ON y.id = f.year AND ? JOIN x ON x.id = y.id",
        ])
    func fit(_ sql: String) { #expect(refusal(sql) == nil) }

    @Test(
        "Nowhere else",
        arguments: [
            "SELECT id, title FROM film WHERE (?)::int = 0", "SELECT id, title FROM film WHERE (?) < true",
            "SELECT id, title FROM film WHERE (?) IS DISTINCT FROM true",
            "SELECT id, title FROM film WHERE coalesce(?, true)",
            "SELECT id, title FROM film WHERE (?) = (id = 3)", "SELECT id, title FROM film WHERE (id = 3) = (?)",
            "SELECT id, title FROM film WHERE greatest(?, id = 3)",
            "SELECT id, title FROM film WHERE true = ANY (ARRAY[?, id = 3])", "SELECT id, title, ? FROM film",
            "SELECT id, title FROM film ORDER BY ?",
            "SELECT id, title FROM film WHERE true AND id IN (SELECT 1 WHERE ?)",
            "SELECT id, title FROM film WHERE true BETWEEN false AND ?",
            "SELECT id, title FROM film WHERE true BETWEEN ? AND true",
            "SELECT id, title FROM film WHERE NOT ?", "SELECT id, title FROM film WHERE ? OR id = 1",
            "SELECT id, title FROM film WHERE (? AND id = 1)::text = 'true'",
            "SELECT id, title FROM film WHERE id = 1 ?",
            "SELECT id, title FROM film WHERE (?, true) = (true, true)",
            "SELECT id, title FROM film WHERE f(? AND id = 1)",
            "SELECT id, title FROM film WHERE ? LIMIT 1", "SELECT id, title FROM film LEFT JOIN x ON ?",
            "SELECT id, title FROM film WHERE bool_and(?) FILTER (WHERE true)",
            "SELECT id, title INTO t FROM film WHERE ?",
            "CREATE TABLE t AS SELECT id, title FROM film WHERE ?",
            "DECLARE c CURSOR FOR SELECT id, title FROM film WHERE ?",
            "DELETE FROM film WHERE ?", "EXPLAIN SELECT id, title FROM film WHERE ?",
            "SELECT id, title FROM film WHERE 'a?b' = 'ab'", "SELECT id, title FROM film WHERE id = 1 /* ? */",
            "SELECT id, title FROM film WHERE CASE WHEN ? THEN true END",
            "SELECT id, title FROM film WHERE ? COLLATE \"C\"",
            "SELECT id, title FROM film WHERE [?]", "SELECT id, title FROM film WHERE - ?",
            "SELECT id, title FROM film WHERE ? = true",
        ])
    func unfit(_ sql: String) { #expect(refusal(sql) != nil) }
}
