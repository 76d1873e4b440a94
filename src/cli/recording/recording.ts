import { shapeOf, textsIn, type Shape } from './shape.js';

/*
 * A recording of a router: how it answers, without what it says. `npm run simulator -- --recording` gives simulated routers
 * these answers. Pure; the format is in docs/howto/record-a-router.md.
 */

/** One answer as it came. */
export interface AnswerRead {
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly milliseconds: number;
}

interface AnswerRecord {
  readonly path: string;
  readonly status: number;
  /** From the command line and back, so with the gateway's share. */
  readonly milliseconds: number;
  readonly bytes: number;
  /** The media type where it is a usual one, otherwise only that there is a header. */
  readonly headers: Readonly<Record<string, string>>;
  /** Codes of the device's error answer. */
  readonly codes: readonly number[];
  /** null: no JSON. */
  readonly body: Shape | null;
}

export interface RouterRecording {
  readonly recording: 1;
  readonly model?: string;
  readonly firmware?: string;
  readonly answers: readonly AnswerRecord[];
}

/** Headers that the gateway passes on; the values of the others would be its own, or names. */
const DEVICE_HEADERS = ['content-type', 'content-length', 'content-encoding', 'content-disposition', 'etag', 'last-modified', 'allow', 'retry-after']; // prettier-ignore
const MEDIA_TYPES = ['application/json', 'text/html', 'text/plain', 'application/octet-stream'];

const CODES_MAX = 20;

/** The answer that names the product and its firmware (observed-devices.md 3, System). */
const PRODUCT_PATH = '/api/system/device/status';

/** @param withModel whether it names the product and its firmware */
export function recordingOf(answers: readonly AnswerRead[], withModel: boolean): RouterRecording {
  const read = answers.map((answer) => ({ answer, value: jsonOf(answer.text) }));
  const texts = new Set<string>();
  for (const { value } of read) textsIn(value, texts);
  const product = read.find(({ answer }) => withModel && answer.path === PRODUCT_PATH);
  return {
    recording: 1,
    ...productOf(product?.value),
    answers: read.map(({ answer, value }) => recorded(answer, value, texts)),
  };
}

function productOf(value: unknown): Pick<RouterRecording, 'model' | 'firmware'> {
  const { data } = (value ?? {}) as { data?: { mnfinfo?: { name?: unknown }; static?: { fw_version?: unknown } } };
  const model = /^[A-Z0-9]{6}/.exec(String(data?.mnfinfo?.name))?.[0];
  const firmware = /^[A-Z0-9]{3,8}_R_[0-9.]{1,20}$/.exec(String(data?.static?.fw_version))?.[0];
  return { ...(model === undefined ? {} : { model }), ...(firmware === undefined ? {} : { firmware }) };
}

function recorded(answer: AnswerRead, value: unknown, texts: ReadonlySet<string>): AnswerRecord {
  const { path, status, headers, text, milliseconds } = answer;
  return {
    path,
    status,
    milliseconds: Math.round(milliseconds),
    bytes: Buffer.byteLength(text),
    headers: Object.fromEntries(
      DEVICE_HEADERS.filter((name) => headers.has(name)).map((name) => [name, headerKind(name, headers)]),
    ),
    codes: codesOf(value),
    body: value === undefined ? null : shapeOf(value, texts),
  };
}

function headerKind(name: string, headers: Headers): string {
  const media = (headers.get(name) ?? '').split(';', 1)[0]!.trim().toLowerCase();
  return name === 'content-type' && MEDIA_TYPES.includes(media) ? media : 'present';
}

function codesOf(value: unknown): number[] {
  const { errors } = (value ?? {}) as { errors?: unknown };
  if (!Array.isArray(errors)) return [];
  return errors
    .slice(0, CODES_MAX)
    .map((error: unknown) => Number((error as { code?: unknown } | null)?.code))
    .filter((code) => Number.isInteger(code) && code >= 0 && code < 1_000);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
