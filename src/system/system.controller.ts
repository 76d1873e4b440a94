import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '../platform/http/endpoint.js';
import { systemView } from './system.contract.js';
import { SystemService } from './system.service.js';

@ApiTags('Installation')
@Controller('v1/system')
export class SystemController {
  constructor(@Inject(SystemService) private readonly system: SystemService) {}

  @Get()
  @Endpoint({
    summary: 'Shows the state of the installation: processes, queue, database, audit, warnings',
    permission: 'system.read',
    answer: systemView,
  })
  read() {
    return this.system.read();
  }
}
