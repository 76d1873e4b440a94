import { type Random } from '../src/simulator/device/random.js';

/* Bodies that mean harm, of any size, the same ones for the same seed. */

export type PickItem = <Item>(items: readonly Item[]) => Item;

export const pickOf =
  (random: Random): PickItem =>
  (items) =>
    items[random.integer(0, items.length - 1)]!;

export interface Shape {
  readonly name: string;
  /** A body of about `size` bytes. */
  readonly make: (size: number, pick: PickItem) => Buffer;
}

const CHARACTERS = [..."a0 .-_/:=@'é$<", '\\"', '\\\\', '\\n', '\\u0000', '\\ud800'];
const WORDS = [
  'secret', 'password', 'token=', 'psk:', 'option key ', 'Bearer ', '://', '://a:', '-----BEGIN ', '-----BEGIN CERTIFICATE-----',
  '-----BEGIN PRIVATE KEY-----', 'eyJ', 'eyJaaaaaaaa.', '$6$', '{SSHA}', 'ghp_', 'AKIA', 'fg_', 'a.', 'a-', '1.', '__proto__', 'hmac:',
]; // prettier-ignore
const NAMES = [
  'a', 'id', 'data', 'password', 'private_key', 'errors', 'error', 'code', 'value', 'success', 'token', '__proto__', 'constructor',
  'hasOwnProperty', '.type', 'name', 'generated', 'fullname', 'username', 'mnfinfo', 'static', 'toString', '', 'n'.repeat(400),
]; // prettier-ignore
const LEAVES = '0 null true "" "a" "password=abc" 1e400 -0 123456789012345678901234567890 {} []'.split(' ');

/** Bytes that belong to no character in UTF-8: other encodings, halves of characters, surrogates, what is too long. */
const FOREIGN = ['ff', 'e9', 'c3', 'e282', 'f09f98', 'eda080', 'c0af', '80', 'f5808080', '8365'] as const;

const around = (data: string): Buffer => Buffer.from(`{"success":true,"data":${data}}`);
const repeated = (piece: string, size: number) => piece.repeat(Math.max(Math.floor(size / piece.length), 1));

export const SHAPES: readonly Shape[] = [
  { name: 'deep lists', make: (size) => around('['.repeat(size / 2) + ']'.repeat(size / 2)) },
  {
    name: 'deep objects',
    make: (size, pick) => {
      const name = pick(NAMES.slice(0, 12));
      const depth = Math.floor(size / (name.length + 5));
      return around(`{"${name}":`.repeat(depth) + '1' + '}'.repeat(depth));
    },
  },
  { name: 'not closed', make: (size, pick) => Buffer.from(repeated(pick(['[', '{"a":', '["', '[{"a":[']), size)) },
  {
    name: 'wide lists',
    make: (size, pick) => {
      const leaf = pick(LEAVES);
      return around(`[${repeated(`${leaf},`, size)}${leaf}]`);
    },
  },
  {
    name: 'wide objects',
    make: (size, pick) => {
      const [name, leaf] = [pick(NAMES), pick(LEAVES)];
      const count = Math.max(Math.floor(size / (name.length + leaf.length + 10)), 1);
      return around(`{${Array.from({ length: count }, (_none, index) => `"${name}${index}":${leaf}`).join(',')}}`);
    },
  },
  {
    name: 'one name again and again',
    make: (size, pick) => {
      const [name, leaf] = [pick(NAMES), pick(LEAVES)];
      return around(`{${repeated(`"${name}":${leaf},`, size)}"z":1}`);
    },
  },
  { name: 'one character', make: (size, pick) => around(`{"${pick(NAMES)}":"${repeated(pick(CHARACTERS), size)}"}`) },
  { name: 'one word', make: (size, pick) => around(`{"text":"${repeated(pick(WORDS), size)}"}`) },
  {
    name: 'a word and then one character',
    make: (size, pick) => around(`{"text":"${pick(WORDS)}${repeated(pick(CHARACTERS) + pick(CHARACTERS), size)}"}`),
  },
  { name: 'a long name', make: (size, pick) => around(`{"${repeated(pick([...WORDS, ...CHARACTERS]), size)}":"x"}`) },
  {
    name: 'errors',
    make: (size, pick) => {
      const error = `{"code":${pick(LEAVES)},"error":"${pick(WORDS)}${pick(WORDS)}","value":${pick(LEAVES)}},`;
      return Buffer.from(`{"success":false,"errors":[${repeated(error, size)}{"code":1}]}`);
    },
  },
  {
    name: 'records',
    make: (size, pick) => {
      const record = `{"${pick(NAMES)}":${pick(LEAVES)},"${pick(NAMES)}":{"${pick(NAMES)}":${pick(LEAVES)}}},`;
      return around(`[${repeated(record, size)}{}]`);
    },
  },
  {
    name: 'bytes that are not UTF-8',
    make: (size, pick) => {
      const byte = pick([0xff, 0xc0, 0xed, 0x80, 0xf4, 0x00]);
      return Buffer.concat([
        Buffer.from('{"success":true,"data":{"text":"'),
        Buffer.alloc(size, byte),
        Buffer.from('"}}'),
      ]);
    },
  },
  {
    name: 'foreign bytes in names and values',
    make: (size, pick) => {
      const foreign = () => Buffer.from(pick(FOREIGN), 'hex');
      const word = () => Buffer.concat([Buffer.from(pick(WORDS)), foreign(), Buffer.from(pick(NAMES))]);
      const parts: Buffer[] = [Buffer.from('{"success":true,"data":{"mnfinfo":{"serial":12},"list":[')];
      for (let bytes = 0; bytes < size; bytes += parts.at(-1)!.length)
        parts.push(Buffer.concat([Buffer.from('{"'), word(), Buffer.from('":"'), word(), Buffer.from('"},')]));
      return Buffer.concat([...parts, Buffer.from('{}]}}')]);
    },
  },
  { name: 'a number without an end', make: (size, pick) => around(repeated(pick(['1', '9', '0', '1e', '-']), size)) },
  { name: 'one byte', make: (size, pick) => Buffer.alloc(size, pick([0, 0x20, 0x22, 0x2c, 0x30, 0x5c, 0xff])) },
];
