"""What alembic runs around the migrations."""

from alembic import context

attributes = context.config.attributes
attributes["count"] = 0


def count(**_):
    attributes["count"] += 1


context.configure(
    connection=attributes["connection"], transaction_per_migration=True, on_version_apply=count)
with context.begin_transaction():
    context.run_migrations()
