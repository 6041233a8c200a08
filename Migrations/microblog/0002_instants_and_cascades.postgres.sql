-- createdAt becomes a number: microseconds since 1970 in UTC. A date in another form, which only files have, comes to
-- createdAtAsWritten. Deleting a user deletes the user's statuses. A timeline is read from its index.

-- lockstep: up
UPDATE "User" SET name = coalesce(name, ''), "screenName" = coalesce("screenName", name, '');
ALTER TABLE "User"
    ALTER COLUMN name TYPE text COLLATE "C",
    ALTER COLUMN name SET NOT NULL,
    ALTER COLUMN "screenName" SET NOT NULL;
CREATE INDEX "User_by_name" ON "User" (name);

-- The columns keep the order that they have in a file.
ALTER TABLE "Status" RENAME COLUMN text TO old_text;
ALTER TABLE "Status" RENAME COLUMN "user" TO old_user;
ALTER TABLE "Status"
    ALTER COLUMN "createdAt" TYPE bigint USING round(extract(epoch FROM "createdAt")::numeric * 1000000)::bigint,
    ADD COLUMN "createdAtAsWritten" text,
    ADD COLUMN text text,
    ADD COLUMN "user" bigint;
UPDATE "Status" SET text = coalesce(old_text, ''), "user" = old_user;
ALTER TABLE "Status" DROP COLUMN old_text, DROP COLUMN old_user, ALTER COLUMN text SET NOT NULL;
ALTER TABLE "Status"
    ADD CONSTRAINT "Status_user_fkey" FOREIGN KEY ("user") REFERENCES "User" ("Id") ON DELETE CASCADE;
CREATE INDEX "Status_timeline" ON "Status" ("createdAt" DESC NULLS LAST);
CREATE INDEX "Status_by_user" ON "Status" ("user", "createdAt" DESC NULLS LAST);

-- lockstep: down
DO $$
BEGIN
    IF EXISTS (SELECT FROM "Status" WHERE "createdAtAsWritten" IS NOT NULL) THEN
        RAISE EXCEPTION 'statuses have dates in forms that no column of the version before can hold';
    END IF;
END
$$;
DROP INDEX "Status_by_user";
DROP INDEX "Status_timeline";
DROP INDEX "User_by_name";
ALTER TABLE "Status"
    DROP CONSTRAINT "Status_user_fkey",
    ALTER COLUMN "createdAt" TYPE timestamptz
        USING timestamptz '1970-01-01 00:00:00Z' + "createdAt" * interval '1 microsecond',
    DROP COLUMN "createdAtAsWritten",
    ALTER COLUMN text DROP NOT NULL;
ALTER TABLE "Status" ADD CONSTRAINT "Status_user_fkey" FOREIGN KEY ("user") REFERENCES "User" ("Id");
ALTER TABLE "User" ALTER COLUMN name DROP NOT NULL, ALTER COLUMN "screenName" DROP NOT NULL;
