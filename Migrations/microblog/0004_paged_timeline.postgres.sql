-- A timeline is read page by page. Its index also orders statuses of the same instant, so that the next page begins
-- where the previous one ended, without reading the rows between them.

-- lockstep: up
DROP INDEX "Status_timeline";
CREATE INDEX "Status_timeline" ON "Status" ("createdAt" DESC NULLS LAST, "Id" DESC);
DROP INDEX "Status_by_user";
CREATE INDEX "Status_by_user" ON "Status" ("user", "createdAt" DESC NULLS LAST, "Id" DESC);

-- lockstep: down
DROP INDEX "Status_by_user";
CREATE INDEX "Status_by_user" ON "Status" ("user", "createdAt" DESC NULLS LAST);
DROP INDEX "Status_timeline";
CREATE INDEX "Status_timeline" ON "Status" ("createdAt" DESC NULLS LAST);
