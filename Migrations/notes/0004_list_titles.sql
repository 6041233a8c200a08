-- The list of titles, newest change first, is read from an index alone: no page that holds a text.

-- lockstep: up
DROP INDEX records_by_change;
CREATE INDEX records_titles ON records (changedAt DESC, id DESC, title, createdAt);

-- lockstep: down
DROP INDEX records_titles;
CREATE INDEX records_by_change ON records (changedAt DESC);
