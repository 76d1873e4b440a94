/*
 * Which write of the gateway made a change: one to the path itself, above or below it, an action of the same service, or a restore of
 * a backup, that may have been executed between the two passes. Each write has an audit entry before it is sent.
 */

/** A write takes minutes at most; the bound is for the index of the audit. */
const LONGEST_WRITE = `interval '1 hour'`;

const WRITTEN = `split_part(split_part(entry.subject, ' ', 2), '?', 1)`;

const serviceOf = (path: string): string => `split_part(${path}, '/', 3)`;

/**
 * The id of the latest write to a device that explains a change; null: it is not by us.
 * @param device, path, since, at SQL of the change
 */
export const ourWriteSql = ({
  device,
  path,
  since,
  at,
}: Record<'device' | 'path' | 'since' | 'at', string>): string => `(
  select entry.id from audit_entry entry left join audit_outcome outcome on outcome.entry_id = entry.id
   where entry.device_id = ${device} and entry.action = 'device.call_write'
     and entry.opened_at between ${since} - ${LONGEST_WRITE} and ${at}
     and coalesce(outcome.closed_at, 'infinity') >= ${since} and coalesce(outcome.outcome, 'unknown') in ('succeeded', 'unknown')
     and (${WRITTEN} = ${path} or starts_with(${WRITTEN}, ${path} || '/') or starts_with(${path}, ${WRITTEN} || '/')
          or (${WRITTEN} like '%/actions/%' and ${serviceOf(WRITTEN)} in (${serviceOf(path)}, 'backup')))
   order by entry.opened_at desc, entry.id desc limit 1)`;
