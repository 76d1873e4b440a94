import { pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import { Controller, Get, Headers, Inject, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { z } from 'zod';
import { type Principal } from '../auth/access/access.js';
import { selectorText } from '../devices/devices.contract.js';
import { CurrentActor, Endpoint, untilClosed } from '../http/endpoint.js';
import { Clock } from '../platform/clock.js';
import { MetricsText } from './device-metrics.js';
import { MeasuredDevices } from './measured-devices.js';

const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

const SHARD = /^[1-9]\d?\/[1-9]\d?$/;

const metricsQuery = z.strictObject({
  selector: selectorText.default('all').describe('Which devices'),
  shard: z
    .string()
    .regex(SHARD, 'k/n, such as 2/4')
    .refine((text) => Number(text.split('/')[0]) <= Number(text.split('/')[1]), 'k of k/n is at most n')
    .default('1/1')
    .describe('The k-th of n parts of the devices, as `k/n`')
    .meta({ examples: ['1/4'] })
    .transform((text) => {
      const [part, parts] = text.split('/').map(Number) as [number, number];
      return { part, parts };
    }),
});

/** The values of devices for Prometheus. */
@ApiTags('Monitoring')
@Controller('v1/metrics/devices')
export class DeviceMetricsController {
  constructor(
    @Inject(MeasuredDevices) private readonly measured: MeasuredDevices,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Get()
  @Endpoint({
    summary: 'The latest values of devices in the text format of OpenMetrics, for Prometheus',
    description:
      'A key sees its own devices, and the values of paths that it may read. X-Fleetgate-Series has the number of series.',
    permission: 'device.read',
    headers: { 'Accept-Encoding': { description: 'With `gzip` the text is compressed', example: 'gzip' } },
    scans: true,
    produces: { 'application/openmetrics-text': { example: '# TYPE fleetgate_device_up gauge\n# EOF\n' } },
    errors: ['invalid_selector'],
  })
  async read(
    @Query({ schema: metricsQuery }) { selector, shard }: z.output<typeof metricsQuery>,
    @Headers('accept-encoding') encodings: string | undefined,
    @CurrentActor() actor: Principal,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const made = new MetricsText(this.clock.now());
    const ids: string[] = [];
    for await (const devices of this.measured.pages(selector, shard, actor, untilClosed(reply))) {
      made.add(devices);
      ids.push(...devices.map(({ device }) => device.id));
    }
    const { chunks, series } = made.end(await this.measured.alertsOf(ids));
    void reply.header('x-fleetgate-series', series).header('vary', 'accept-encoding').type(OPEN_METRICS);
    const text = Readable.from(chunks);
    if (!/\bgzip\b/.test(encodings ?? '')) return new StreamableFile(text, { type: OPEN_METRICS });
    void reply.header('content-encoding', 'gzip');
    // An error in either is one of the answer, and a reader who leaves ends both.
    return new StreamableFile(
      pipeline(text, createGzip({ level: constants.Z_BEST_SPEED }), () => undefined),
      { type: OPEN_METRICS },
    );
  }
}
