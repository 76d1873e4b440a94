import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Access } from './auth/access/access.js';
import { CONFIG, type GatewayConfig } from './platform/config.js';
import { Endpoint } from './http/endpoint.js';
import { Metrics } from './platform/metrics.js';
import { InstallationFigures } from './system/installation-figures.js';

/** What Prometheus reads. Anonymous by configuration only. */
@ApiTags('Service')
@Controller('metrics')
export class MetricsController {
  constructor(
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(InstallationFigures) private readonly figures: InstallationFigures,
    @Inject(Access) private readonly access: Access,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Get()
  @Endpoint({
    summary: 'Metrics in the text format of Prometheus',
    description: 'Needs a key that holds `metrics.read`, unless METRICS_PUBLIC is set.',
    permission: 'anonymous',
    produces: { 'text/plain': { example: '# TYPE fleetgate_jobs_running gauge\nfleetgate_jobs_running 0\n' } },
    errors: ['unauthenticated', 'forbidden'],
  })
  async read(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    if (!this.config.METRICS_PUBLIC) this.access.require(await this.access.authenticate(request), 'metrics.read');
    void reply.type(this.metrics.registry.contentType);
    await this.figures.refresh();
    return this.metrics.text();
  }
}
