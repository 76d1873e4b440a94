#!/bin/sh
# Runs a command with the password of the database from the file that PGPASSWORD_FILE names: the drivers read PGPASSWORD.
# Without PGPASSWORD_FILE it only runs the command.
set -eu

refuse() {
  echo "Fleetgate could not start: the password file $PGPASSWORD_FILE (PGPASSWORD_FILE) $1" >&2
  exit 1
}

if [ -n "${PGPASSWORD_FILE:-}" ]; then
  [ -e "$PGPASSWORD_FILE" ] || refuse 'is not there, or its folder is closed to this user. Mount it, or correct the path.'
  [ -f "$PGPASSWORD_FILE" ] || refuse 'is not a file. Make the file before the first start, and remove the folder that has its name.'
  [ -r "$PGPASSWORD_FILE" ] || refuse "cannot be read by user $(id -u). Give this user the right to read it, for example: chmod 444."
  PGPASSWORD=$(cat -- "$PGPASSWORD_FILE")
  [ -n "$PGPASSWORD" ] || refuse 'is empty. Write the password of the database into it.'
  export PGPASSWORD
  unset PGPASSWORD_FILE
fi

exec "$@"
