import { Controller, Get, Inject, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { deviceRef } from '../selectors/device-ref.js';
import { type Principal } from '../auth/access/access.js';
import { CurrentActor, Endpoint, instant } from '../http/endpoint.js';
import { SessionsService } from './sessions.service.js';

const count = z.number().int();
const slots = z.object({ taken: count, waiting: count });

const connectionView = z
  .object({
    sessions: z
      .array(
        z.object({
          account: z.enum(['main', 'read']).describe('`read`: the account for reads'),
          phase: z
            .enum(['none', 'logging-in', 'valid', 'paused', 'refused'])
            .describe('`paused`: a login failed and is retried soon; `refused`: the device refused the password'),
          grantedAt: instant.nullable(),
          ageSeconds: count.nullable(),
          endsAt: instant
            .nullable()
            .describe('When the token ends unless it is used before, where the device prolongs it by use'),
          loginsToday: count.describe('Logins with the account since midnight (UTC), those of other replicas included'),
          failedLogins: count.describe(
            'Refused logins since the credentials changed; at 3 the gateway stops permanently',
          ),
        }),
      )
      .describe(
        'At least one for each account of the device; more where it is set to several sessions and they are used',
      ),
    breaker: z.object({
      state: z.enum(['closed', 'open']),
      failures: count.describe('Transport errors in a row'),
      trialAt: instant.nullable().describe('When the gateway tries the device again'),
    }),
    slots: z.object({ read: slots, write: slots }).describe('Active calls and calls that wait for the device'),
  })
  .meta({ id: 'DeviceSession' });

@ApiTags('Devices')
@Controller('v1/devices')
export class SessionsController {
  constructor(@Inject(SessionsService) private readonly sessions: SessionsService) {}

  @Get(':ref/session')
  @Endpoint({
    summary: 'Shows the sessions, the breaker and the queue of a device',
    description: 'The view of the process that answers; the token itself is never shown.',
    permission: 'device.read',
    scans: false,
    answer: connectionView,
    errors: ['device_not_found'],
  })
  get(@Param('ref', { schema: deviceRef }) ref: string, @CurrentActor() actor: Principal) {
    return this.sessions.get(ref, actor);
  }

  @Post(':ref/session/reset')
  @Endpoint({
    summary: 'Ends the sessions of a device and forgets its failures',
    description: 'After this the gateway tries a refused password again, once for each reset.',
    permission: 'device.manage',
    audit: 'device.session_reset',
    answer: connectionView,
    errors: ['device_not_found'],
  })
  reset(@Param('ref', { schema: deviceRef }) ref: string, @CurrentActor() actor: Principal) {
    return this.sessions.reset(ref, actor);
  }
}
