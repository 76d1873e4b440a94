/*
 * Answers in the shape of a recorded router (`fleetgate doctor --record`): fields, kinds, statuses and times are those of
 * the recording, and values are the simulator's own where they fit, or made up.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { DeviceRefusal, type SimulatedAnswer } from './exchange.js';
import type { Random } from './random.js';

const VALUE_KINDS = ['null', 'boolean', 'integer', 'number', 'text', 'text-empty', 'text-none', 'text-flag', 'text-integer', 'text-number', 'text-ipv4', 'text-mac', 'text-time'] as const; // prettier-ignore
type ValueKind = (typeof VALUE_KINDS)[number];

interface FieldsShape {
  fields: Record<string, Shape>;
  sometimes?: string[] | undefined;
  names?: { count: number; of: Shape } | undefined;
}
interface ListShape {
  list: Shape | null;
  count: number;
}
type Shape = ValueKind | FieldsShape | ListShape | { any: Shape[] };

/** Recordings come from other people: the file, and how deep a schema follows it, have bounds. */
const FILE_BYTES_MAX = 8 * 1024 * 1024;
const DEPTH_MAX = 20;
/** Entries that a simulated list has, however long the recorded one was. */
const MADE_MAX = 50;

const count = z.number().int().min(0);
const shape: z.ZodType<Shape> = z.lazy(() =>
  z.union([
    z.enum(VALUE_KINDS),
    z.strictObject({
      fields: z.record(z.string(), shape),
      sometimes: z.array(z.string()).optional(),
      names: z.strictObject({ count, of: shape }).optional(),
    }),
    z.strictObject({ list: shape.nullable(), count }),
    z.strictObject({ any: z.array(shape).min(2) }),
  ]),
);

const recordedAnswer = z.strictObject({
  path: z.string().startsWith('/api/'),
  status: z.number().int().min(200).max(599),
  milliseconds: z.number().min(0),
  bytes: z.number().int().min(0),
  headers: z.record(z.string(), z.string()),
  codes: z.array(z.number().int()),
  body: shape.nullable(),
});
export type RecordedAnswer = z.output<typeof recordedAnswer>;

const recordingFile = z.strictObject({
  recording: z.literal(1),
  model: z.string().optional(),
  firmware: z.string().optional(),
  answers: z.array(recordedAnswer).min(1).max(1_000),
});

/** The recorded answer of each path. */
export type Recording = ReadonlyMap<string, RecordedAnswer>;

/** @throws Error with every problem in words */
export function readRecording(file: string): Recording {
  const bytes = readFileSync(file);
  if (bytes.length > FILE_BYTES_MAX) throw new Error(`${file} is longer than ${FILE_BYTES_MAX / 1e6} MB`);
  const value: unknown = JSON.parse(bytes.toString());
  if (isDeeper(value, 2 * DEPTH_MAX + 4)) throw new Error(`${file} is deeper than ${DEPTH_MAX} levels`);
  const parsed = recordingFile.safeParse(value);
  if (!parsed.success) throw new Error(`${file} is no recording:\n${z.prettifyError(parsed.error)}`);
  return new Map(parsed.data.answers.map((answer) => [answer.path, answer]));
}

/**
 * @param own the device's own answer, whose values are used where they fit; null where the simulator has none
 * @throws DeviceRefusal where the recorded router refused
 */
export function answerAsRecorded(
  { path, status, codes, body }: RecordedAnswer,
  own: SimulatedAnswer | null,
  random: Random,
): SimulatedAnswer {
  if (status >= 400 || codes.length > 0) throw new DeviceRefusal(codes[0] ?? 117, { source: path, status });
  if (body === null) return { status, body: '' };
  return { status, body: valueOf(body, own?.body, random) as object };
}

/** A value of the shape: the given one as far as it fits. */
function valueOf(given: Shape, own: unknown, random: Random): unknown {
  if (typeof given === 'string') return isOfKind(own, given) ? own : MADE[given](random);
  if ('any' in given) {
    const fitting = given.any.find((one) => isOfKind(own, kindOf(one)));
    return valueOf(fitting ?? given.any[random.integer(0, given.any.length - 1)]!, own, random);
  }
  if ('list' in given) return listOf(given, own, random);
  return fieldsOf(given, own, random);
}

function listOf({ list, count: entries }: ListShape, own: unknown, random: Random): unknown[] {
  if (list === null) return [];
  const given: unknown[] =
    Array.isArray(own) && own.length > 0 ? own : Array.from({ length: Math.min(entries, MADE_MAX) });
  return given.map((one) => valueOf(list, one, random));
}

function fieldsOf({ fields, sometimes = [], names }: FieldsShape, own: unknown, random: Random): object {
  const known = new Map(isOfKind(own, 'fields') ? Object.entries(own as object) : []);
  const entries: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(fields))
    if (known.has(name) || !sometimes.includes(name) || random.integer(0, 1) === 1)
      entries.push([name, valueOf(inner, known.get(name), random)]);
  if (names !== undefined) {
    const others = [...known.keys()].filter((name) => !Object.hasOwn(fields, name));
    const chosen =
      others.length > 0 ? others : Array.from({ length: Math.min(names.count, MADE_MAX) }, (_, at) => `name${at + 1}`);
    for (const name of chosen) entries.push([name, valueOf(names.of, known.get(name), random)]);
  }
  return Object.fromEntries(entries);
}

const kindOf = (given: Shape): ValueKind | 'fields' | 'list' =>
  typeof given === 'string' ? given : 'list' in given ? 'list' : 'fields';

const MADE: Readonly<Record<ValueKind, (random: Random) => unknown>> = {
  null: () => null,
  boolean: (random) => random.integer(0, 1) === 1,
  integer: (random) => random.integer(0, 100),
  number: (random) => random.integer(1, 999) / 10,
  text: (random) => `value ${random.integer(1, 99)}`,
  'text-empty': () => '',
  'text-none': () => 'N/A',
  'text-flag': (random) => String(random.integer(0, 1)),
  'text-integer': (random) => String(random.integer(2, 100)),
  'text-number': (random) => (random.integer(1, 999) / 10).toFixed(1),
  'text-ipv4': (random) => `192.0.2.${random.integer(1, 254)}`,
  'text-mac': (random) => random.mac(),
  'text-time': () => '2026-01-01 00:00:00',
};

const TEXTS: Partial<Record<ValueKind, RegExp>> = {
  'text-empty': /^$/,
  'text-none': /^(?:N\/A|-|unknown|none)$/i,
  'text-flag': /^[01]$/,
  'text-integer': /^-?\d{1,18}$/,
  'text-number': /^-?\d{1,18}\.\d{1,18}$/,
  'text-ipv4': /^[\d.]{7,15}(?:\/\d{1,2})?$/,
  'text-mac': /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/i,
  'text-time': /^\d{4}-\d\d-\d\d[ T]/,
};

function isOfKind(value: unknown, kind: ValueKind | 'fields' | 'list'): boolean {
  if (value === null || value === undefined) return value === null && kind === 'null';
  if (Array.isArray(value)) return kind === 'list';
  if (typeof value === 'object') return kind === 'fields';
  if (typeof value === 'string') return kind === 'text' || (TEXTS[kind as ValueKind]?.test(value) ?? false);
  if (typeof value === 'boolean') return kind === 'boolean';
  return kind === 'number' || (kind === 'integer' && Number.isInteger(value));
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((part) => isDeeper(part, depth - 1));
}
