import { Controller, Get, Inject, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Principal } from '../auth/access/access.js';
import { CurrentActor, Endpoint } from '../http/endpoint.js';
import { deviceRef } from '../selectors/device-ref.js';
import * as contract from './device-checks.contract.js';
import { DeviceChecks } from './device-checks.service.js';

@ApiTags('Devices')
@Controller('v1/devices')
export class DeviceChecksController {
  constructor(@Inject(DeviceChecks) private readonly checks: DeviceChecks) {}

  @Get(':ref/check')
  @Endpoint({
    summary: 'Reads when a device is checked next, and whether the devices beside it answer',
    permission: 'device.read',
    scans: true,
    answer: contract.reachabilityView,
    errors: ['device_not_found'],
  })
  read(@Param('ref', { schema: deviceRef }) ref: string, @CurrentActor() actor: Principal) {
    return this.checks.read(ref, actor);
  }

  @Post(':ref/check')
  @Endpoint({
    summary: 'Asks a device now whether it answers, and shows each stage on the way: name, TCP, TLS, answer, login',
    description:
      'It counts like a check that the gateway makes by itself. No login is tried. It takes 18 seconds at most.',
    permission: 'device.call_read',
    onlyReads: true,
    scans: false,
    status: 200,
    answer: contract.checkView,
    errors: ['device_not_found', 'device_trust_changed', 'device_tls_failed'],
  })
  run(@Param('ref', { schema: deviceRef }) ref: string, @CurrentActor() actor: Principal) {
    return this.checks.run(ref, actor);
  }
}
