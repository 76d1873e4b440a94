import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { type Principal } from '../../auth/access/access.js';
import { type Rights } from '../../auth/rights/rights.js';
import { PATHS } from '../../device-api/contract.js';
import { pathOfValue } from '../../devices/device-samples.js';
import { DevicesService } from '../../devices/registry/devices.service.js';
import { CurrentActor, Endpoint } from '../../http/endpoint.js';
import { Clock } from '../../platform/clock.js';
import { SampleHistory } from '../samples/sample-history.js';
import * as contract from './figures.contract.js';
import { operatorsSql, signalSql, topSql } from './fleet-figures.js';
import { problemNetworksSql, problemsSql } from './problem-groups.js';

/** What a screen shows of many devices at once. Each caller gets the figures of the devices that they see. */
@ApiTags('Monitoring')
@Controller('v1/monitoring')
export class FiguresController {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(DevicesService) private readonly devices: DevicesService,
    @Inject(SampleHistory) private readonly samples: SampleHistory,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Get('problems')
  @Endpoint({
    summary:
      'Counts devices with a problem, by what is wrong and by site, and the networks that explain more than a site',
    permission: 'device.read',
    scans: true,
    answer: contract.problemsView,
  })
  async problems(@CurrentActor() { rights }: Principal) {
    const values: unknown[] = [];
    const condition = rights.sql('device.read', values, this.clock.now());
    const [groups, networks] = await Promise.all([
      this.db.query<contract.Problems['groups']>(problemsSql(condition), values),
      this.db.query<contract.Problems['networks']>(problemNetworksSql(condition), values),
    ]);
    return { groups, networks };
  }

  @Get('figures')
  @Endpoint({
    summary: 'Figures of the fleet from the latest samples: signal, and the mobile data of the month',
    description: 'Each figure counts the devices on which you may read its path.',
    permission: 'device.call_read',
    scans: true,
    answer: contract.figuresView,
  })
  async figures(@CurrentActor() { rights }: Principal) {
    const [signal, operators, top] = await Promise.all([
      this.read<contract.Figures['signal']>(rights, signalSql, PATHS.modemsStatus),
      this.read<contract.Figures['operators']>(rights, operatorsSql, PATHS.modemsStatus, PATHS.dataOfMonth),
      this.read<contract.Figures['top']>(rights, topSql, PATHS.dataOfMonth),
    ]);
    return { devices: signal.reduce((sum, { devices }) => sum + devices, 0), signal, operators, top };
  }

  private read<Rows>(rights: Rights, sql: (condition: string) => string, ...paths: string[]): Promise<Rows> {
    const now = this.clock.now();
    const values: unknown[] = [now];
    const atPaths = paths.map((path) => rights.sql('device.call_read', values, now, path));
    const conditions = [rights.sql('device.read', values, now), ...atPaths];
    return this.db.query<Rows>(sql(`(${conditions.join(' and ')})`), values);
  }

  @Get('sparklines')
  @Endpoint({
    summary: 'One value of some devices over the last 24 hours, for a small chart in each row of a table',
    permission: 'device.call_read',
    scans: true,
    answer: contract.sparklinesView,
  })
  async sparklines(
    @Query({ schema: contract.sparklinesQuery }) { metric, ids }: contract.SparklinesQuery,
    @CurrentActor() { rights }: Principal,
  ) {
    const path = pathOfValue(metric);
    const found = await Promise.all(ids.map((id) => this.devices.get(id).catch(() => null)));
    const shown = found.flatMap((registered) => {
      if (!registered) return []; // removed since
      const { device } = registered;
      const isShown =
        rights.allows({ action: 'device.read', device }) && rights.allows({ action: 'device.call_read', device, path });
      return isShown ? [device.id] : [];
    });
    return { metric, items: await this.samples.sparklines(shown, metric) };
  }
}
