import { Controller, Get, HttpCode, Inject, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { z } from 'zod';
import { VERSION } from '../platform/config.js';
import { Endpoint } from './endpoint.js';
import { Readiness } from './readiness.js';

const liveView = z.object({ status: z.literal('ok'), version: z.string() }).meta({ id: 'Liveness' });
const readyView = z
  .object({ status: z.enum(['ok', 'unavailable']), checks: z.record(z.string(), z.enum(['ok', 'unavailable'])) })
  .meta({ id: 'Readiness' });

/** For load balancers and containers: whether the process is alive, and whether it can work now. */
@ApiTags('Service')
@Controller('health')
export class HealthController {
  constructor(@Inject(Readiness) private readonly readiness: Readiness) {}

  @Get('live')
  @Endpoint({ summary: 'Whether the process is alive', permission: 'anonymous', answer: liveView })
  live() {
    return { status: 'ok' as const, version: VERSION };
  }

  @Get('ready')
  @Endpoint({
    summary: 'Whether the process can do its work now (503 when not)',
    permission: 'anonymous',
    answer: readyView,
  })
  @HttpCode(200)
  async ready(@Res({ passthrough: true }) reply: FastifyReply) {
    const checks = await this.readiness.check();
    const ok = Object.values(checks).every((state) => state === 'ok');
    if (!ok) void reply.status(503);
    return { status: ok ? ('ok' as const) : ('unavailable' as const), checks };
  }
}
