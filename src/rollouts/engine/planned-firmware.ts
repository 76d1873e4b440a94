import { type DataSource } from 'typeorm';
import { inSight } from '../../auth/rights/in-sight.js';
import { type Rights } from '../../auth/rights/rights.js';
import type { PlanView } from '../state/rollouts.contract.js';

/*
 * What the devices of a firmware rollout run now, by model, and the newest version of the vendor where the gateway has seen it:
 * only a device can ask the vendor, so it is what the last job with the vendor's image saw on a device of the same model.
 */

type FirmwareLine = PlanView['firmware'][number];
type Offer = NonNullable<FirmwareLine['vendor']>;

interface KnownDevice {
  readonly model: string | null;
  readonly firmware: string | null;
}

/** An older answer says little about what the vendor has today. It also bounds what is read. */
const ANSWERS_FOR_MS = 90 * 86_400_000;

/** The largest group first. @param rights of the caller: what devices out of their sight were offered is not told */
export async function plannedFirmware(
  db: DataSource,
  devices: readonly KnownDevice[],
  rights: Rights,
  now: Date,
): Promise<FirmwareLine[]> {
  const counts = new Map<string, { model: string | null; firmware: string | null; devices: number }>();
  for (const { model, firmware } of devices) {
    const key = JSON.stringify([model, firmware]);
    counts.set(key, { model, firmware, devices: (counts.get(key)?.devices ?? 0) + 1 });
  }
  const offers = await offersOf(db, [...new Set(devices.map(({ model }) => model))], rights, now);
  return [...counts.values()]
    .map((line) => ({ ...line, vendor: (line.model !== null && offers.get(line.model)) || null }))
    .toSorted((a, b) => b.devices - a.devices);
}

/** A device that has the newest version is offered none: its job ends without a change. */
async function offersOf(
  db: DataSource,
  models: readonly (string | null)[],
  rights: Rights,
  now: Date,
): Promise<Map<string, Offer>> {
  const values: unknown[] = [models.filter((model) => model !== null), new Date(now.getTime() - ANSWERS_FOR_MS)];
  const seen = inSight(rights, 'device.id', values, now);
  const rows = await db.query<(Offer & { model: string })[]>(
    `select distinct on (model) model, version, at from (
       select device.model, job.created_at as at,
              coalesce((select line.facts ->> 'offered' from job_log_line line
                         where line.job_id = job.id and line.facts ->> 'offered' is not null limit 1),
                       case when job.spec ->> 'version' is null and job.result ->> 'changed' = 'false'
                            then job.result ->> 'version' end) as version
         from job join device on device.id = job.device_id
        where job.kind = 'firmware' and job.spec ->> 'source' = 'vendor' and job.created_at > $2
          and device.model = any ($1::text[]) and ${seen}
     ) offer where version is not null order by model, at desc`,
    values,
  );
  return new Map(rows.map(({ model, version, at }) => [model, { version, at }]));
}
