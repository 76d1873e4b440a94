import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Principal } from '../auth/access/access.js';
import { type CredentialsInput } from '../devices/devices.contract.js';
import { RegistryService } from '../devices/registry.service.js';
import { AppError } from '../platform/errors.js';
import { type AcceptedItem, type AcceptFindsInput } from './discovery.contract.js';
import { DiscoveriesService, findsOf } from './discoveries.service.js';
import { type DiscoveryFind, type DiscoveryRun } from './discovery.entity.js';
import { DiscoveryRows } from './discovery-rows.js';
import { findKnown } from './known-devices.js';

/**
 * Makes devices of what a search found, one by one, as POST /v1/devices does, with the key that was seen. What is a device
 * of the registry by now stays as it is, so a repeated request changes nothing.
 */
@Injectable()
export class Acceptance {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(DiscoveriesService) private readonly discoveries: DiscoveriesService,
    @Inject(DiscoveryRows) private readonly rows: DiscoveryRows,
    @Inject(RegistryService) private readonly registry: RegistryService,
  ) {}

  /** @throws AppError `discovery_not_found`; what is wrong with a single find is in its item */
  async accept(id: string, input: AcceptFindsInput, actor: Principal): Promise<{ items: AcceptedItem[] }> {
    const run = await this.discoveries.find(id);
    const finds = new Map((await findsOf(this.db.manager, id, input.found)).map((find) => [find.id, find]));
    const items: AcceptedItem[] = [];
    for (const found of input.found) items.push(await this.acceptOne(found, finds.get(found), run, input, actor));
    const outcomes = items.map(({ found, outcome, deviceId }) => ({ found, outcome, deviceId }));
    await this.db.transaction((tx) => this.discoveries.record(tx, actor, 'discovery.accept', id, { items: outcomes }));
    return { items };
  }

  private async acceptOne(
    found: string,
    find: DiscoveryFind | undefined,
    run: DiscoveryRun,
    input: AcceptFindsInput,
    actor: Principal,
  ): Promise<AcceptedItem> {
    const none = { found, deviceId: null, code: null, detail: null };
    try {
      if (!find) throw new AppError('find_not_found');
      if (find.kind !== 'device') throw new AppError('find_is_no_device');
      const known = await this.knownTo(find, actor);
      if (known !== null) return { ...none, outcome: 'known', deviceId: known };
      return { ...none, outcome: 'accepted', deviceId: await this.register(find, run, input, actor) };
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      // Another request may have registered it a moment ago.
      const known = find && error.code === 'device_exists' ? await this.knownTo(find, actor) : null;
      if (known !== null) return { ...none, outcome: 'known', deviceId: known };
      const { reason, field } = error.facts;
      const detail = [error.message, reason ?? field].filter((part) => typeof part === 'string').join(': ');
      return { ...none, outcome: 'refused', code: error.code, detail };
    }
  }

  /** The device of the registry that it is by now, if the caller sees that one. */
  private async knownTo(find: DiscoveryFind, { rights }: Principal): Promise<string | null> {
    const known = await findKnown(this.db.manager, find);
    if (known === null) return null;
    await this.saveKnown(find, known.deviceId, known.by);
    const { device } = await this.registry.get(known.deviceId, rights).catch(nullWhenHidden);
    return device?.id ?? null;
  }

  private async register(
    find: DiscoveryFind,
    run: DiscoveryRun,
    { tags, site, credentials }: AcceptFindsInput,
    actor: Principal,
  ): Promise<string> {
    const account = credentials ?? (await this.ownCredentials(find, run, actor));
    const { device } = await this.registry.register(
      {
        name: nameOf(find),
        baseUrl: find.baseUrl,
        // A claim without a login stays out: a wrong serial number would refuse the device later, and block another one.
        ...(find.serial === null ? {} : { serial: find.serial }),
        ...(find.mac === null ? {} : { mac: find.mac }),
        ...(find.model === null ? {} : { model: find.model }),
        site,
        tags,
        note: '',
        fields: {},
        sessions: 1,
        trust: { mode: 'pin', ...(find.pin === null ? {} : { pin: find.pin }) },
        ...(account === null ? {} : { credentials: account }),
      },
      actor,
    );
    await this.saveKnown(find, device.id, 'baseUrl');
    return device.id;
  }

  /** Those that the device accepted, for the operator who gave them: a password is no one else's to use. */
  private async ownCredentials(
    { credentialsId }: DiscoveryFind,
    run: DiscoveryRun,
    { operatorId }: Principal,
  ): Promise<CredentialsInput | null> {
    if (credentialsId === null || run.operatorId !== operatorId) return null;
    return this.rows.credentialsById(credentialsId);
  }

  private async saveKnown({ id }: DiscoveryFind, deviceId: string, by: string): Promise<void> {
    await this.db.query(
      `update discovery_find set known_device_id = device.id, known_by = $3 from device
        where discovery_find.id = $1 and device.id = $2`,
      [id, deviceId, by],
    );
  }
}

/** Names of real devices are mostly that of the model, so they need something of their own. */
const nameOf = ({ name, model, serial, address }: DiscoveryFind): string => {
  const end = `-${serial ?? address}`;
  const begin = name ?? model ?? 'device';
  return begin.endsWith(end) ? begin : `${begin.slice(0, NAME_LENGTH - end.length)}${end}`;
};

/** As the registry allows. */
const NAME_LENGTH = 120;

function nullWhenHidden(error: unknown): { device: null } {
  if (error instanceof AppError && (error.code === 'device_not_found' || error.code === 'forbidden'))
    return { device: null };
  throw error;
}
