import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { FileEdges, firmwareForm } from '../../src/artifacts/firmware-form.js';

/* What a file says of itself as firmware; whoever uploads it chose its bytes. */

const NOTHING = { isImage: false, version: null, models: [] };

function part(data: Buffer, { type = 1, magic = 'FWx0', size = data.length + 24 } = {}): Buffer {
  const trailer = Buffer.alloc(16);
  trailer.write(magic, 0, 'latin1');
  trailer[8] = type;
  trailer.writeUInt32BE(size, 12);
  return Buffer.concat([Buffer.alloc(8), data, trailer]);
}

const said = (value: unknown) => Buffer.from(JSON.stringify(value));
const full = said({ version: { version: 'RUTX_R_00.07.17.3' }, supported_devices: ['RUTX50', 'RUTX11'] });

/** How it is read when it comes in pieces of some bytes. */
async function read(bytes: Buffer, piece: number): Promise<unknown> {
  const pieces = Array.from({ length: Math.ceil(bytes.length / piece) }, (_, at) =>
    bytes.subarray(at * piece, (at + 1) * piece),
  );
  const edges = new FileEdges();
  edges.resume();
  await pipeline(Readable.from(pieces), edges);
  return edges.form();
}

describe('what a file says of itself', () => {
  const image = { isImage: true, version: null, models: [] };
  const known = { isImage: true, version: 'RUTX_R_00.07.17.3', models: ['RUTX50', 'RUTX11'] };
  const tar = Buffer.alloc(600);
  tar.write('ustar', 257, 'latin1');

  it.each<[string, Buffer, object]>([
    ['no bytes', Buffer.alloc(0), NOTHING],
    ['a text', Buffer.from('hello\n'), NOTHING],
    ['a page of HTML', Buffer.from('<!doctype html><title>Sign in</title>'.repeat(50)), NOTHING],
    ['a flat image tree', Buffer.from('d00dfeed00000000', 'hex'), image],
    ['an image of U-Boot', Buffer.from('2705195600000000', 'hex'), image],
    ['a tar archive', tar, image],
    ['metadata', Buffer.concat([Buffer.alloc(90_000), part(full)]), known],
    ['metadata and a signature', Buffer.concat([part(full), part(Buffer.alloc(64), { type: 0 })]), known],
    ['a signature alone', part(Buffer.alloc(64), { type: 0 }), NOTHING],
    ['another magic', part(full, { magic: 'FWx1' }), NOTHING],
    ['a size beyond the file', part(full, { size: 4_000_000_000 }), NOTHING],
    ['a size of nothing', part(full, { size: 0 }), NOTHING],
    ['JSON that is broken', part(Buffer.from('{"version":')), NOTHING],
    ['JSON that is no object', part(said([1])), NOTHING],
    ['a version of another form', part(said({ version: { version: '21.02' } })), image],
    ['a version that is too long', part(said({ version: { version: `RUTX_R_0${'0'.repeat(100)}` } })), image],
    ['boards instead of models', part(said({ supported_devices: ['teltonika,rutx'] })), image],
    ['too many models', part(said({ supported_devices: Array(51).fill('RUTX50') })), image],
  ])('%s', async (_words, bytes, form) => {
    expect(firmwareForm(bytes.subarray(0, 512), bytes.subarray(-65_536))).toEqual(form);
    for (const piece of [7, 4_096, 200_000]) expect(await read(bytes, piece)).toEqual(form);
  });
});
