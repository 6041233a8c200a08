-- The list of titles, newest change first, is read in the order of an index. The titles themselves are not in it: an
-- entry of a server's index holds some 2,700 bytes.

-- lockstep: up
DROP INDEX records_by_change;
CREATE INDEX records_titles ON records ("changedAt" DESC NULLS LAST, id DESC) INCLUDE ("createdAt");

-- lockstep: down
DROP INDEX records_titles;
CREATE INDEX records_by_change ON records ("changedAt" DESC NULLS LAST);
