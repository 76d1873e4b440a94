import { Client } from 'pg';

/*
 * The whole schema `public` of a database as lines, sorted: two databases have the same schema when their lines are equal.
 * The order of columns is left out: all code names them.
 */

/** Who may do what, with the defaults of Postgres written out, and by the names of the roles but the owner's. */
const rights = (acl: string, owner: string, kind: string) =>
  `(select string_agg(distinct case grantee when 0 then 'public' when ${owner} then 'owner' else grantee::regrole::text end
      || ':' || privilege_type, ' ') from aclexplode(coalesce(${acl}, acldefault('${kind}', ${owner}))))`;

const OURS = `'public'::regnamespace`;

const PARTS = [
  `select format('%s %s kept as %s, options %s, rls %s %s, rights %s: %s',
      case relkind when 'r' then 'table' when 'S' then 'sequence' when 'i' then 'index' else relkind::text end,
      relname, relpersistence, reloptions, relrowsecurity, relforcerowsecurity,
      case relkind when 'r' then ${rights('relacl', 'relowner', 'r')} when 'S' then ${rights('relacl', 'relowner', 's')} end, obj_description(oid, 'pg_class'))
    from pg_class where relnamespace = ${OURS}`,
  `select format('column %s.%s %s not null %s, default %s, identity %s, generated %s, collation %s, storage %s, statistics %s, rights %s: %s',
      relname, attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid), attidentity, attgenerated,
      attcollation::regcollation, attstorage, nullif(attstattarget, -1), attacl, col_description(attrelid, attnum))
    from pg_attribute join pg_class on pg_class.oid = attrelid left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = ${OURS} and relkind in ('r', 'v') and attnum > 0 and not attisdropped`,
  // Since version 18 "not null" is a constraint with a name; the columns say it.
  `select format('constraint %s.%s %s, valid %s: %s', conrelid::regclass, conname, pg_get_constraintdef(oid), convalidated,
      obj_description(oid, 'pg_constraint'))
    from pg_constraint where connamespace = ${OURS} and contype <> 'n'`,
  `select format('index %s, valid %s: %s', pg_get_indexdef(indexrelid), indisvalid, obj_description(indexrelid, 'pg_class'))
    from pg_index join pg_class on pg_class.oid = indexrelid where relnamespace = ${OURS}`,
  `select format('trigger %s, enabled %s: %s', pg_get_triggerdef(pg_trigger.oid), tgenabled, obj_description(pg_trigger.oid, 'pg_trigger'))
    from pg_trigger join pg_class on pg_class.oid = tgrelid where relnamespace = ${OURS} and not tgisinternal`,
  `select format('%s rights %s: %s', pg_get_functiondef(oid), ${rights('proacl', 'proowner', 'f')}, obj_description(oid, 'pg_proc'))
    from pg_proc where pronamespace = ${OURS} and prokind in ('f', 'p')`,
  `select format('sequence %s of %s.%s, %s', seqrelid::regclass, refobjid::regclass, refobjsubid <> 0, to_jsonb(pg_sequence) - 'seqrelid')
    from pg_sequence join pg_depend on objid = seqrelid and classid = 'pg_class'::regclass and deptype in ('a', 'i')
      join pg_class on pg_class.oid = seqrelid where relnamespace = ${OURS}`,
  `select format('policy %s', to_jsonb(pg_policies)) from pg_policies where schemaname = 'public'`,
  `select format('rule %s', definition) from pg_rules where schemaname = 'public'`,
  `select format('statistics %s', pg_get_statisticsobjdef(oid)) from pg_statistic_ext where stxnamespace = ${OURS}`,
  `select format('type %s %s', typname, typtype) from pg_type where typnamespace = ${OURS} and typtype in ('d', 'e', 'r')`,
  `select format('default rights on %s: %s', defaclobjtype, string_agg(distinct grantee::regrole || ':' || privilege_type, ' '))
    from pg_default_acl, aclexplode(defaclacl) where defaclnamespace = ${OURS} and grantee <> defaclrole group by defaclobjtype`,
];

/** The schema of a database, as sorted lines. */
export async function catalogOf(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const lines: string[] = [];
    for (const part of PARTS) {
      const { rows } = await client.query<{ format: string }>(part);
      lines.push(...rows.map(({ format }) => format));
    }
    return lines.sort();
  } finally {
    await client.end();
  }
}
