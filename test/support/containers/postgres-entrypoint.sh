#!/bin/sh
# What the official image does with the variables of our compose file: a cluster and a database at the first start.
set -eu
export PGDATA=/var/lib/postgresql/18/docker
as_postgres() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  install -d -o postgres -g postgres -m 700 "${PGDATA%/*}" "$PGDATA"
  # shellcheck disable=SC2086 # several arguments
  as_postgres initdb --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" $POSTGRES_INITDB_ARGS
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  echo "create database $POSTGRES_DB;" | as_postgres postgres --single postgres
fi
exec setpriv --reuid=postgres --regid=postgres --clear-groups "$@" -c 'listen_addresses=*' -c unix_socket_directories=/var/run/postgresql
