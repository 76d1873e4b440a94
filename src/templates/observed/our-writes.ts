import { PATHS } from '../../device-api/contract.js';

/*
 * Which write of the gateway made a change: one to the path itself, above or below it (to a section only where nothing else
 * changed), an action of the same service, a restore of a backup, or a reset of the settings, that may have been executed between
 * the two passes. Making a backup changes nothing. Each write has an audit entry before it is sent.
 */

/** A write takes minutes at most; the bound is for the index of the audit. */
const LONGEST_WRITE = `interval '1 hour'`;

const WRITTEN = `split_part(split_part(entry.subject, ' ', 2), '?', 1)`;

/** What replaces the configuration of all services. */
const REPLACES_ALL = `('POST ${PATHS.applyBackup}', 'POST /api/backup/actions/reset_settings')`;

const serviceOf = (path: string): string => `split_part(${path}, '/', 3)`;

/** Whether what changed is the section with this id alone, also in one of several lists. Below a section is more than its options. */
const isOfSection = (id: string, options: string): string => `(${id} like '%/%' or not exists (
  select from unnest(${options}) as option (name), regexp_replace(option.name, '^[^./]+/', '') as own (name)
   where own.name <> ${id} and not starts_with(own.name, ${id} || '.')))`;

/**
 * The id of the latest write to a device that explains a change; null: it is not by us.
 * @param device, path, since, at, options SQL of the change; `options` is a list of texts, as `namesOfDifferences` has them
 */
export const ourWriteSql = ({
  device,
  path,
  since,
  at,
  options,
}: Record<'device' | 'path' | 'since' | 'at' | 'options', string>): string => `(
  select entry.id from audit_entry entry left join audit_outcome outcome on outcome.entry_id = entry.id
   where entry.device_id = ${device} and entry.action = 'device.call_write'
     and entry.opened_at between ${since} - ${LONGEST_WRITE} and ${at}
     and coalesce(outcome.closed_at, 'infinity') >= ${since} and coalesce(outcome.outcome, 'unknown') in ('succeeded', 'unknown')
     and (${WRITTEN} = ${path} or starts_with(${path}, ${WRITTEN} || '/')
          or (starts_with(${WRITTEN}, ${path} || '/') and ${isOfSection(`substr(${WRITTEN}, length(${path}) + 2)`, options)})
          or split_part(entry.subject, '?', 1) in ${REPLACES_ALL}
          or (${WRITTEN} like '%/actions/%' and ${serviceOf(WRITTEN)} = ${serviceOf(path)} and ${serviceOf(WRITTEN)} <> 'backup'))
   order by entry.opened_at desc, entry.id desc limit 1)`;
