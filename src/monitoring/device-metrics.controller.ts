import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { Controller, Get, Headers, Inject, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type FastifyReply } from 'fastify';
import { z } from 'zod';
import { type Principal } from '../auth/access/access.js';
import { selectorText } from '../devices/devices.contract.js';
import { CurrentActor, Endpoint, untilClosed } from '../http/endpoint.js';
import { Clock } from '../platform/clock.js';
import { countSeries, metricsText } from './device-metrics.js';
import { MeasuredDevices } from './measured-devices.js';

const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** Others have their turn after so long. */
const SLICE_MS = 8;

const CHUNK_BYTES = 64 * 1_024;

const SHARD = /^([1-9]\d?)\/([1-9]\d?)$/;

const metricsQuery = z.strictObject({
  selector: selectorText.default('all').describe('Which devices'),
  shard: z
    .string()
    .regex(SHARD, 'k/n, such as 2/4')
    .refine((text) => Number(SHARD.exec(text)?.[1]) <= Number(SHARD.exec(text)?.[2]), 'k of k/n is at most n')
    .optional()
    .describe('The k-th of n parts of the devices, as `k/n`')
    .meta({ examples: ['1/4'] }),
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
    const gone = untilClosed(reply);
    const [part, parts] = (SHARD.exec(shard ?? '1/1') ?? []).slice(1).map(Number) as [number, number];
    const { devices, alerts } = await this.measured.read(selector, { part, parts }, actor, gone);
    const now = this.clock.now();
    let series = alerts.length;
    for await (const counts of inSlices(countSeries(devices, now))) for (const count of counts) series += count;
    void reply.header('x-fleetgate-series', series).header('vary', 'accept-encoding').type(OPEN_METRICS);
    const text = Readable.from(chunksOf(metricsText(devices, alerts, now)));
    if (!/\bgzip\b/.test(encodings ?? '')) return new StreamableFile(text, { type: OPEN_METRICS });
    void reply.header('content-encoding', 'gzip');
    // An error in either is one of the answer, and a reader who leaves ends both.
    return new StreamableFile(
      pipeline(text, createGzip(), () => undefined),
      { type: OPEN_METRICS },
    );
  }
}

/** The items of a generator, as many at once as a slice has time for. */
async function* inSlices<Item>(items: Iterable<Item>): AsyncGenerator<Item[]> {
  let slice: Item[] = [];
  let since = performance.now();
  for (const item of items) {
    slice.push(item);
    if (slice.length % 64 !== 0 || performance.now() - since < SLICE_MS) continue;
    yield slice;
    slice = [];
    await new Promise(setImmediate);
    since = performance.now();
  }
  yield slice;
}

async function* chunksOf(parts: Iterable<string>): AsyncGenerator<string> {
  for await (const slice of inSlices(parts)) {
    let chunk = '';
    for (const part of slice) {
      chunk += part;
      if (chunk.length < CHUNK_BYTES) continue;
      yield chunk;
      chunk = '';
    }
    if (chunk !== '') yield chunk;
  }
}
