import { describe, expect, it } from 'vitest';
import { errorOf } from '../../src/api-client/api-error.js';
import { jsonLines, serverSentEvents, SilenceError, textLines } from '../../src/api-client/lines.js';
import { Pace, retryAfterMs } from '../../src/api-client/pace.js';
import { addressOf, baseUrlOf, fillPath } from '../../src/api-client/paths.js';

/** A stream of these pieces; it stays open after them when it has no end. */
function streamOf(
  pieces: readonly string[],
  hasEnd = true,
): { body: ReadableStream<Uint8Array>; isCancelled: () => boolean } {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(Buffer.from(piece, 'latin1'));
      if (hasEnd) controller.close();
    },
    cancel() {
      cancelled = true;
    },
  });
  return { body, isCancelled: () => cancelled };
}

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const found: Value[] = [];
  for await (const value of values) found.push(value);
  return found;
}

describe('a path', () => {
  it.each([
    ['/v1/devices/{ref}', { ref: 'name:pump 1/2' }, '/v1/devices/name:pump%201%2F2'],
    ['/v1/devices/{ref}', { ref: 'a?b#c%d' }, '/v1/devices/a%3Fb%23c%25d'],
    ['/v1/devices/{ref}/api/{path}', { ref: 'a', path: 'system/x y' }, '/v1/devices/a/api/system/x%20y'],
    ['/v1/jobs/{jobId}/{n}', { jobId: 'é', n: 7 }, '/v1/jobs/%C3%A9/7'],
  ])('%s takes %j as values, never as syntax', (template, parameters, wanted) => {
    expect(fillPath(template, parameters)).toBe(wanted);
  });

  it.each([{}, { ref: '' }, { ref: '.' }, { ref: '..' }, { ref: {} }])(
    'is refused with the parameters %j',
    (parameters) => {
      expect(() => fillPath('/v1/devices/{ref}', parameters)).toThrow(TypeError);
    },
  );

  it('does not leave the API of a device', () => {
    expect(() => fillPath('/v1/devices/{ref}/api/{path}', { ref: 'a', path: 'x/../../keys' })).toThrow(TypeError);
  });

  it.each(['x', '@evil.example', '/../x', '.evil.example'])('made by hand is refused: %s', (path) => {
    expect(() => addressOf('https://fleet.example/gw', path)).toThrow(TypeError);
  });

  it('made by hand stays below the base address', () => {
    expect(addressOf('https://fleet.example/gw', '/v1/devices?q=a')).toBe('https://fleet.example/gw/v1/devices?q=a');
    expect(addressOf('https://fleet.example', '//evil.example/x')).toBe('https://fleet.example//evil.example/x');
  });
});

describe('the address of a gateway', () => {
  it('loses its last slash', () => {
    expect(baseUrlOf('https://fleet.example/')).toBe('https://fleet.example');
    expect(baseUrlOf('http://127.0.0.1:8080/gw/')).toBe('http://127.0.0.1:8080/gw');
  });

  it.each(['HTTPS://Fleet.Example:443/', 'https://[2001:DB8:0::7]:8443', 'http://192.168.1.10:8080'])(
    'is %s',
    (url) => {
      expect(baseUrlOf(url)).toBe(new URL(url).origin);
    },
  );

  it.each([
    'https://192.168.001.010',
    'https://192.168.1',
    'https://3232235786',
    'https://0xC0A8010A',
    'https:192.168.1.10',
    'https:\\\\192.168.1.10',
    'https://%66leet.example',
    'https://１０.0.0.1',
    ' https://fleet.example',
    'https://fl\teet.example',
  ])('is not %j, which would be read as another one', (url) => {
    expect(() => baseUrlOf(url)).toThrow(/would be read as https:/);
  });

  it.each(['ftp://a', 'https://user:secret@a', 'https://a/?key=x', 'https://a/#x', 'fleet'])('is not %s', (url) => {
    expect(() => baseUrlOf(url)).toThrow(TypeError);
  });
});

describe('lines', () => {
  it('are whole, wherever the pieces end', async () => {
    const text = '{"a":"\u00c3\u00a9"}\r\n\n{"a":2}\n{"a":3}'; // the first is é in two bytes
    for (const size of [1, 2, 5, 100]) {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
        text.slice(n * size, (n + 1) * size),
      );
      expect(await all(jsonLines(streamOf(pieces).body))).toEqual([{ a: 'é' }, { a: 2 }, { a: 3 }]);
    }
  });

  it('end the request when the caller stops reading', async () => {
    const { body, isCancelled } = streamOf(['1\n2\n'], false);
    for await (const line of textLines(body)) {
      expect(line).toBe('1');
      break;
    }
    expect(isCancelled()).toBe(true);
  });

  it('have a largest length', async () => {
    const { body, isCancelled } = streamOf(['x'.repeat(1_500_000), 'x'.repeat(1_500_000)], false);
    await expect(all(textLines(body))).rejects.toThrow(RangeError);
    expect(isCancelled()).toBe(true);
  });
});

describe('server-sent events', () => {
  it('have an id, a type and data in several lines', async () => {
    const text =
      ': hello\n\nid: 7.1\n\nevent: job.ended\ndata: {"a":\ndata:1}\n\nid: 8\r\ndata: x\r\n\r\ndata: cut off';
    expect(await all(serverSentEvents(streamOf([text]).body))).toEqual([
      { id: '7.1', type: 'message', data: '' },
      { id: '7.1', type: 'job.ended', data: '{"a":\n1}' },
      { id: '8', type: 'message', data: 'x' },
    ]);
  });

  it('end when the stream is silent for too long', async () => {
    await expect(all(serverSentEvents(streamOf([':\n\n'], false).body, 20))).rejects.toThrow(SilenceError);
  });

  it('have a largest length, in many short lines, too', async () => {
    const { body } = streamOf(
      Array.from({ length: 3_000 }, () => `data: ${'x'.repeat(1_000)}\n`),
      false,
    );
    await expect(all(serverSentEvents(body))).rejects.toThrow(RangeError);
  });
});

describe('the pace', () => {
  const headers = (left: string) =>
    new Headers({ ratelimit: left, 'ratelimit-policy': '"key";q=600;w=60, "operator";q=60;w=60' });

  it('is free while every limit has something left', () => {
    const pace = new Pace();
    pace.take(headers('"key";r=1;t=60, "operator";r=1;t=60'));
    expect([pace.reserve(0), pace.reserve(0)]).toEqual([0, 0]);
  });

  it('is that of the slowest limit with nothing left, one request after the other', () => {
    const pace = new Pace();
    pace.take(headers('"key";r=0;t=60, "operator";r=0;t=60'));
    expect([pace.reserve(5_000), pace.reserve(5_000), pace.reserve(6_500)]).toEqual([1_000, 2_000, 1_500]);
    pace.take(headers('"key";r=0;t=60, "operator";r=3;t=60'));
    expect(pace.reserve(20_000)).toBe(100);
    pace.take(headers('"key";r=2;t=60, "operator";r=3;t=60'));
    expect(pace.reserve(20_000)).toBe(0);
  });

  it.each([
    ['nothing', ''],
    ['a word', 'x'],
    ['no policy', '"key";r=0'],
    ['a number below zero', '"key";r=-1;t=1'],
    ['very many items', '"key";r=0;t=1, '.repeat(2_000)],
  ])('does not change by a header that is not the gateway’s: %s', (_what, left) => {
    const pace = new Pace();
    pace.take(new Headers({ ratelimit: left }));
    expect(pace.reserve(0)).toBe(0);
  });

  it('reads Retry-After in seconds', () => {
    const read = (value: string) => retryAfterMs(new Headers({ 'retry-after': value }));
    expect(['3', '0', 'Mon, 23 Nov 2026 20:00:00 GMT', '-1', '99999999999'].map(read)).toEqual([
      3_000,
      0,
      null,
      null,
      null,
    ]);
  });
});

describe('an answer that the gateway did not write', () => {
  const page = (status: number) => `<html>\r\n<head><title>${status}</title></head><body>nginx</body></html>`;

  it.each([
    [200, 'Check the address'],
    [400, 'Check the address'],
    [401, 'Check the address'],
    [403, 'Check the address'],
    [404, 'Check the address'],
    [413, 'client_max_body_size'],
    [429, 'Check the address'],
    [500, 'Check the address'],
    [502, 'Start the gateway'],
    [503, 'Start the gateway'],
    [504, 'Look whether the request was carried out'],
  ])('is named as one, with what to do: %i', async (status, advice) => {
    const error = await errorOf(new Response(page(status), { status, headers: { 'content-type': 'text/html' } }));
    expect(error).toMatchObject({
      status,
      code: 'unexpected_answer',
      title: `A server on the way answered with status ${status}, in place of the gateway`,
      detail: expect.stringContaining(advice),
    });
  });

  it('is no syntax error where lines were expected', async () => {
    const read = async () => {
      for await (const line of jsonLines(streamOf([page(200)]).body)) expect(line).toBe('nothing');
    };
    await expect(read()).rejects.toMatchObject({ code: 'unexpected_answer' });
  });
});
