import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { storableJson } from '../../database/storable.js';
import { boundedCache } from '../../platform/bounded-cache.js';
import { Clock } from '../../platform/clock.js';
import { overlapsOf } from '../desired/overlap.js';
import { devicesAtOnce, digestsOf, observedSql, readingsOf } from '../observed/device-readings.js';
import { ObservedBodies } from '../observed/observed-bodies.js';
import { IgnoredOptions } from '../saved/ignored-options.service.js';
import { TemplateReach } from '../saved/template-reach.js';
import { TemplateSecrets } from '../saved/template-secrets.js';
import { pathsOf, type Published } from '../saved/template.entity.js';
import { type StateRow, TemplateComparison } from './template-comparison.js';

/*
 * Compares devices with what is published, by what watches and jobs have read of them, and writes what changed. A device that
 * two templates reach which decide the same is left out of both: no weight decides.
 */

/** Versions never change, so neither does whether two of them overlap. */
const PAIRS_KEPT = 10_000;

const COMPARED_DEVICE = `
  select id, name, serial, mac, model, firmware, site, fields, ${observedSql('$2')} as observed,
         (select jsonb_object_agg(secret.name, secret.id) from sealed_value secret
           where secret.template_id = $1 and secret.device_id = device.id) as made,
         (select to_jsonb(known) from template_state known where known.template_id = $1 and known.device_id = device.id) as known`;

const COLUMNS = `
  state, reason, detail, since, desired, applied, observed, applied_as, closed_at, differences, more_differences, compared_from`;

const STORE = `
  insert into template_state as before (template_id, device_id, ${COLUMNS})
  select $1, device_id, ${COLUMNS} from jsonb_populate_recordset(null::template_state, $2::jsonb)
   where device_id in (select id from device) order by device_id
  on conflict (template_id, device_id) do update set (${COLUMNS}) = row (${COLUMNS.replaceAll(/\w+/g, 'excluded.$&')})`;

/** A row that a job has written since it was read stays as it is. */
const STORE_COMPARED = `${STORE}
   where before.closed_at is not distinct from excluded.closed_at`;

@Injectable()
export class DeviceStates {
  private readonly pairs = boundedCache<string, boolean>(PAIRS_KEPT);

  constructor(
    @Inject(TemplateReach) private readonly reach: TemplateReach,
    @Inject(TemplateSecrets) private readonly secrets: TemplateSecrets,
    @Inject(IgnoredOptions) private readonly ignored: Pick<IgnoredOptions, 'now'>,
    @Inject(ObservedBodies) private readonly bodies: Pick<ObservedBodies, 'read'>,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** The versions in force, by name. */
  published(): Promise<Published[]> {
    return this.reach.published();
  }

  /** @param all the versions in force. @returns null: it reaches no device, since its author is gone */
  async comparison(version: Published, all: readonly Published[]): Promise<TemplateComparison | null> {
    const values: unknown[] = [version.templateId, pathsOf(version.items)];
    const reached = await this.reach.reached(version, values);
    if (reached === null) return null;
    const names: string[] = [];
    for (const other of all) {
      if (other.id === version.id || !this.doOverlap(version, other)) continue;
      const theirs = await this.reach.reached(other, values);
      if (theirs !== null) names.push(`case when ${theirs} then $${values.push(other.name)}::text end`);
    }
    const ignored = await this.ignored.now(version.templateId, values);
    const more = `array_remove(array[${names.join()}]::text[], null) as rivals, ${ignored.sql} as ignored`;
    const seen = `select base.*, md5(jsonb_build_array($${values.push(version.id)}::text, to_jsonb(base) - 'known')::text) as input`;
    const sql = `select * from (${seen} from (${COMPARED_DEVICE}, ${more} from device where ${reached}) base) compared`;
    return new TemplateComparison(version, this.secrets, sql, values, ignored);
  }

  /**
   * Compares the next devices of a version of which something has changed, and stores their states.
   * @returns how many were compared, and the last device; null after all
   */
  async batch(tx: EntityManager, comparison: TemplateComparison, after: string | null) {
    const limit = devicesAtOnce(pathsOf(comparison.version.items));
    const devices = await comparison.changed(tx, after, limit);
    const bodies = await this.bodies.read(devices.flatMap(digestsOf), tx);
    const now = this.clock.now();
    const changed: StateRow[] = [];
    for (const device of devices)
      changed.push(comparison.rowOf(device, await comparison.judge(device, readingsOf(device.observed, bodies)), now));
    if (changed.length > 0) await tx.query(STORE_COMPARED, [comparison.version.templateId, storableJson(changed)]);
    return { changed: changed.length, last: devices.length < limit ? null : devices.at(-1)!.id };
  }

  /** Stores the state of a device after a job; the next pass compares it with what was read elsewhere since then. */
  async store(tx: EntityManager, { version }: TemplateComparison, row: StateRow): Promise<void> {
    await tx.query(STORE, [version.templateId, storableJson([{ ...row, compared_from: null }])]);
  }

  private doOverlap(one: Published, other: Published): boolean {
    const name = [one.id, other.id].sort().join(' ');
    const known = this.pairs.get(name) ?? overlapsOf(one.items, other.items).length > 0;
    this.pairs.set(name, known);
    return known;
  }
}
