import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { Endpoint } from '../http/endpoint.js';
import { settingsOf } from './settings.js';
import { settingList, systemView } from './system.contract.js';
import { SystemService } from './system.service.js';

@ApiTags('Installation')
@Controller('v1/system')
export class SystemController {
  constructor(
    @Inject(SystemService) private readonly system: SystemService,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Get()
  @Endpoint({
    summary: 'Shows the state of the installation: processes, queue, database, audit, warnings',
    permission: 'system.read',
    scans: true,
    answer: systemView,
  })
  read() {
    return this.system.read();
  }

  @Get('settings')
  @Endpoint({
    summary: 'Lists the settings of the process that answers, without secrets',
    permission: 'system.read',
    scans: false,
    answer: settingList,
  })
  settings() {
    return { items: settingsOf(this.config) };
  }
}
