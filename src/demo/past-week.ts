import { type DataSource, type EntityManager } from 'typeorm';

/*
 * The step of the demo that makes up a week: it writes past rows into the demo's own database, so that lists, charts and the
 * availability have something to show. It repeats what the devices did today: their backups become nightly ones, and some
 * devices were offline for a while. Each nightly job has its backup, as the policy "Nightly" would have left them. The audit log has
 * no such entries: it shows only what really happened.
 */

/** When the routers of the demo are said to have been registered. */
const DAYS = 8;

/** Writes the past of all devices with the tag `demo`; they have just been registered, so they have none. The policies are there. */
export function writePastWeek(db: DataSource): Promise<void> {
  return db.transaction(async (tx) => {
    await moveRegistration(tx);
    await tx.query(OUTAGES);
    await tx.query(NIGHTLY_BACKUPS);
    await tx.query(FAILED_BACKUPS);
    await tx.query(CONTENTS);
    await tx.query(LAST_RUN);
    // The rows above have made events of this transaction: their news is older than the events, which say "now".
    await tx.query(`delete from event where tx = pg_current_xact_id() and type like 'job.%'`);
  });
}

async function moveRegistration(tx: EntityManager): Promise<void> {
  await tx.query(`
    update device set created_at = date_trunc('minute', created_at) - interval '${DAYS} days' where 'demo' = any (tags)
  `);
  await tx.query(`
    update device_change as change set at = device.created_at + interval '20 seconds'
      from device where device.id = change.device_id and 'demo' = any (device.tags)
  `);
}

/** Each device was offline a few times; sites lost their uplinks 9, 20 and 77 hours ago. */
const OUTAGES = `
  with numbered as (
    select id, site, row_number() over (order by name) as n from device where 'demo' = any (tags)
  ), outage as (
    select id, now() - (n * 37 + turn * 53) % 165 * interval '1 hour' - n * interval '1 minute' as began,
           (8 + n * 7 % 80) * interval '1 minute' as took
      from numbered cross join generate_series(1, 3) as turn
     where (n * 37 + turn * 53) % 165 > 3 and (n + turn) % 3 = 0
     union all
    select id, now() - interval '20 hours' + n * interval '7 seconds', interval '55 minutes'
      from numbered where site like 'kaunas/%'
     union all
    select id, now() - interval '9 hours' + n * interval '9 seconds', interval '35 minutes'
      from numbered where site = 'riga/plant-1'
     union all
    select id, now() - interval '77 hours' + n * interval '5 seconds', interval '6 hours'
      from numbered where site like 'gdansk/%'
  ), change as (
    select id, began as at, 'online' as before, 'offline' as after from outage
     union all
    select id, began + took, 'offline', 'online' from outage
  )
  insert into device_change (device_id, at, field, before, after)
  select id, at, 'state', before, after from change order by at
`;

/** As the rhythm of the policy "Nightly" has it. */
const STARTED = `
  date_trunc('day', now(), 'Europe/Vilnius') - night * interval '1 day' + interval '2 hours 30 minutes' + n * interval '11 seconds'
`;

/** The latest backup of each device, and the nights on which it was repeated until this morning; two of them failed. */
const REPEATED = `
  latest as (
    select distinct on (job.device_id) job.*, artifact.id as artifact_id, dense_rank() over (order by job.device_id) as n
      from job join device on device.id = job.device_id join artifact on artifact.job_id = job.id
     where 'demo' = any (device.tags) and job.kind = 'backup' and job.outcome = 'succeeded'
     order by job.device_id, job.created_at desc
  ), repeated as (
    select latest.*, gen_random_uuid() as new_id, gen_random_uuid() as new_artifact_id, ${STARTED} as begins,
           'system:backup-policy:' || policy.id as author, (n * 5 + night * 3) % 31 = 0 as is_bad
      from latest cross join generate_series(0, 7) as night cross join backup_policy as policy
     where policy.name = 'Nightly' and ${STARTED} < now() - interval '10 minutes'
  )
`;

const NIGHTLY_BACKUPS = `
  with ${REPEATED}, made as (
    insert into job (id, device_id, kind, spec, is_bulk, phase, outcome, cursor, wake_at, deadline_at, epoch, result,
                     started_by, started_by_name, operator_id, reason, created_at, started_at, ended_at)
    select new_id, device_id, kind, spec, true, phase, outcome, cursor, begins, begins + interval '1 hour', 1,
           result || jsonb_build_object('artifactId', new_artifact_id), author, started_by_name, operator_id,
           'backup policy Nightly', begins, begins + (started_at - created_at), begins + (ended_at - created_at)
      from repeated where not is_bad
    returning id
  ), stored as (
    insert into artifact (id, sha256, bytes, kind, name, device_id, job_id, created_by, created_by_name, created_at)
    select new_artifact_id, file.sha256, file.bytes, file.kind,
           replace(file.name, to_char(file.created_at at time zone 'UTC', 'YYYYMMDD'), to_char(begins at time zone 'UTC', 'YYYYMMDD')),
           file.device_id, new_id, author, started_by_name, begins + (ended_at - repeated.created_at)
      from made join repeated on repeated.new_id = made.id join artifact as file on file.id = artifact_id
  )
  insert into job_log_line (job_id, ordinal, at, step, text, facts)
  select repeated.new_id, line.ordinal, begins + (line.at - created_at), line.step, line.text,
         case when line.facts ? 'artifactId' then line.facts || jsonb_build_object('artifactId', new_artifact_id) else line.facts end
    from made join repeated on repeated.new_id = made.id join job_log_line as line on line.job_id = repeated.id
`;

const FAILED_BACKUPS = `
  with ${REPEATED}, made as (
    insert into job (id, device_id, kind, spec, is_bulk, phase, outcome, cursor, wake_at, deadline_at, epoch, failure,
                     started_by, started_by_name, operator_id, reason, created_at, started_at, ended_at)
    select new_id, device_id, kind, spec, true, phase, 'failed', cursor, begins, begins + interval '1 hour', 1,
           '{"code": "device_unreachable", "message": "The device did not answer", "facts": {}}',
           author, started_by_name, operator_id, 'backup policy Nightly', begins, begins, begins + interval '1 hour'
      from repeated where is_bad
    returning id, ended_at
  )
  insert into job_log_line (job_id, ordinal, at, step, text)
  select id, 1, ended_at, 'end', 'The job has failed' from made
`;

/** What was found in a backup is in its copies, too. */
const CONTENTS = `
  insert into backup_content (artifact_id, looked_at, sha256, files, failure)
  select distinct on (copy.id) copy.id, copy.created_at + interval '5 seconds', content.sha256, content.files, content.failure
    from artifact as copy join artifact as file using (device_id, sha256) join backup_content as content on content.artifact_id = file.id
   where copy.id <> file.id and copy.created_by like 'system:backup-policy:%'
  on conflict do nothing
`;

const LAST_RUN = `
  update backup_policy as policy set created_at = least(policy.created_at, run.first_at - interval '1 hour'), last_run_at = run.at, last_started = run.devices
    from (select started_by, min(created_at) as first_at,
                 min(created_at) filter (where created_at > newest - interval '1 hour') as at,
                 count(*) filter (where created_at > newest - interval '1 hour')::int as devices
            from (select *, max(created_at) over (partition by started_by) as newest from job) as job
           where started_by like 'system:backup-policy:%' group by started_by) as run
   where run.started_by = 'system:backup-policy:' || policy.id
`;
