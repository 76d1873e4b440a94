/* Addresses of Postgres as a setting. Pure. */

const SCHEME = /^postgres(ql)?:\/\//;

/** What the driver takes from an address is one host; libpq's lists of hosts are not a URL, or are a parameter. */
const SEVERAL =
  'names several hosts, and the gateway connects to one. Give one name that always leads to the primary: a virtual ' +
  'address, a DNS name, or a proxy such as PgBouncer or HAProxy (docs/howto/run-the-database.md)';

/** Why a text is no address of one database; null: it is. No part of it is in the answer, since it has a password. */
export function postgresUrlFault(text: string): string | null {
  if (!SCHEME.test(text)) return 'must be an address such as postgres://user:password@host:5432/database';
  const authority = text.replace(SCHEME, '').split(/[/?#]/, 1)[0]!;
  if (authority.slice(authority.lastIndexOf('@') + 1).includes(',')) return SEVERAL;
  if (!URL.canParse(text))
    return 'is not a valid address: characters such as @ / # ? in user or password need %-encoding';
  const { hostname, searchParams } = new URL(text);
  for (const name of ['host', 'hostaddr']) {
    const host = searchParams.get(name);
    if (host === null) continue;
    if (host.includes(',')) return SEVERAL;
    if (hostname !== '' && host !== hostname)
      return `has two hosts: ${name} as a parameter must not differ from the first`;
  }
  if (searchParams.has('target_session_attrs'))
    return `has target_session_attrs, which chooses among hosts. It ${SEVERAL}`;
  return null;
}
