-- A timeline is read page by page: where several statuses have one instant, its index tells them apart too, so that
-- the next page begins where the last one ended without looking at what lies between.

-- lockstep: up
DROP INDEX Status_timeline;
CREATE INDEX Status_timeline ON Status (createdAt DESC, Id DESC);
DROP INDEX Status_by_user;
CREATE INDEX Status_by_user ON Status (user, createdAt DESC, Id DESC);

-- lockstep: down
DROP INDEX Status_by_user;
CREATE INDEX Status_by_user ON Status (user, createdAt DESC);
DROP INDEX Status_timeline;
CREATE INDEX Status_timeline ON Status (createdAt DESC);
