import { z } from 'zod';
import { sentencesOf } from '../errors.js';
import { UsageError } from '../exit-codes.js';
import { isRow, type Row } from '../output/cells.js';
import { marked } from './answer-pieces.js';
import { linesOf, searchLines, type OperationReader, type Parameters } from './read-operations.js';

/*
 * The tools of an assistant. Eight answer the questions that operators ask most, each by some reads side by side; two reach
 * all other reads. All of them together cost an assistant at most 2,000 tokens, so a description says only what its name does not.
 */

interface AssistantTool {
  readonly about: string;
  readonly input: z.ZodObject<Record<string, z.ZodType<string | undefined>>>;
  readonly lines: (
    reader: OperationReader,
    given: Readonly<Record<string, string | undefined>>,
  ) => AsyncIterable<string>;
}

const text = (about?: string) => (about === undefined ? z.string() : z.string().describe(about));
const device = text('Name, or serial:…, mac:…');

/** Fields of a device that say why it does not answer. */
const WHY = 'id name state stateReason identityReason seenAt trust credentials model firmware site'.split(' ');

export const TOOLS: Readonly<Record<string, AssistantTool>> = {
  fleet_health: {
    about: 'State of the fleet: counts, problems by site, open alerts, warnings of the gateway',
    input: z.object({}),
    lines: (reader) =>
      sections(reader, [
        ['devices', 'devices_summary', { by: 'state' }],
        ['problems', 'figures_problems', {}],
        ['open alerts', 'alerts_list', { limit: 20 }],
        ['gateway', 'system_read', {}, ({ warnings }) => ({ warnings })],
      ]),
  },
  why_offline: {
    about: 'Why a device does not answer: its state, its last changes, its neighbours, its alerts',
    input: z.object({ device }),
    lines: (reader, { device: ref }) =>
      sections(reader, [
        ['device', 'devices_get', { ref }, (row) => Object.fromEntries(WHY.map((name) => [name, row[name]]))],
        ['check', 'devicechecks_read', { ref }],
        ['history', 'devices_history', { ref, limit: 10 }],
        ['alerts', 'alerts_list', { device: ref, limit: 10 }],
      ]),
  },
  who_changed: {
    about: 'Who changed a device: observed changes of its configuration, and audit entries',
    input: z.object({ device, path: text('Such as /api/users/config').optional() }),
    lines: (reader, { device: ref, path }) =>
      sections(reader, [
        ['changes', 'deviceobserved_changes', { ref, path, limit: 20 }],
        ['audit', 'audit_list', { deviceId: ref, limit: 20 }],
      ]),
  },
  compare_answers: {
    about:
      'Groups devices by equal answers: of a stored fan-out, or of a path that watches read. With two digests of groups: what differs',
    input: z.object({
      fanOutId: text().optional(),
      path: text('Such as /api/users/config').optional(),
      selector: text().optional(),
      one: text('Digest').optional(),
      other: text('Digest').optional(),
    }),
    lines: (reader, { fanOutId, path, selector, one, other }) => {
      const isPair = one !== undefined && other !== undefined;
      if ((fanOutId === undefined) === (path === undefined)) throw new UsageError('Give fanOutId or path');
      if (path !== undefined)
        return isPair
          ? reader.lines('observed_comparison', { path, one, other })
          : reader.lines('observed_groups', { path, selector });
      if (!isPair) return reader.lines('fanouts_get', { fanOutId });
      return sections(reader, [
        ['one', 'fanouts_answer', { fanOutId, digest: one }],
        ['other', 'fanouts_answer', { fanOutId, digest: other }],
      ]);
    },
  },
  rollout_status: {
    about: 'A rollout: state, waves, causes of failures, devices that need a person. Without rollout: lists them',
    input: z.object({ rollout: text('Name or id').optional() }),
    lines: (reader, { rollout }) =>
      rollout === undefined
        ? reader.lines('rollouts_list', {})
        : reader.lines('rollouts_report', { rolloutId: rollout }),
  },
  find_devices: {
    about: 'Lists devices by selector (tag:pump & state:offline & firmware<7.14 & site:a/*), or by q, a part of a name',
    input: z.object({
      selector: text().optional(),
      q: text().optional(),
      fields: text('Default: name,state,model,firmware,site,tags,seenAt').optional(),
    }),
    lines: (reader, { selector, q, fields = 'name,state,model,firmware,site,tags,seenAt' }) =>
      reader.lines('devices_list', { selector, q, fields, count: 'estimate' }),
  },
  job_story: {
    about: 'A job from its start to its end: steps, log, failure, audit. Without job: lists jobs, of a device if given',
    input: z.object({ job: text('Id').optional(), device: device.optional() }),
    lines: (reader, { job, device: ref }) =>
      job === undefined
        ? reader.lines('jobs_list', { device: ref })
        : sections(reader, [
            ['job', 'jobs_get', { jobId: job }],
            ['audit', 'audit_list', { jobId: job, limit: 20 }],
          ]),
  },
  explain_rights: {
    about: 'Whether something is allowed, and by which rule. Without operator: for this key',
    input: z.object({
      action: text('Permission, such as device.call_write').optional(),
      device: device.optional(),
      method: text('Of a call to the device').optional(),
      path: text('Of that call, such as /api/wireguard/config').optional(),
      operator: text('Name').optional(),
    }),
    lines: (reader, given) => reader.lines('rights_explain', given),
  },
  search_operations: {
    about: 'Finds further reads of the API, with their parameters (* is required), for the tool read',
    input: z.object({ words: text('Such as: backup coverage') }),
    async *lines(_reader, { words }) {
      yield* searchLines(words!);
    },
  },
};

type Section = readonly [
  title: string,
  operation: string,
  parameters: Parameters,
  /** The part of the answer that is given. */
  shown?: (answer: Row) => Row,
];

/** The answers of some reads, each with its title. What the key may not read says so, beside the others. */
async function* sections(reader: OperationReader, wanted: readonly Section[]): AsyncGenerator<string> {
  const answers = await Promise.allSettled(wanted.map(([, id, parameters]) => reader.answer(id, parameters)));
  const [first] = answers;
  if (first?.status === 'rejected' && answers.every(({ status }) => status === 'rejected')) throw first.reason;
  for (const [at, [title, id, , shown]] of wanted.entries()) {
    yield `# ${title}`;
    const answer = answers[at]!;
    if (answer.status === 'rejected') yield `Not read: ${marked(sentencesOf(answer.reason).join(' '))}`;
    else if (!isRow(answer.value)) yield* linesOf(answer.value);
    else {
      yield* linesOf(shown ? shown(answer.value) : answer.value);
      if ((answer.value['next'] ?? null) !== null) yield `The list is longer: read ${id} has all of it`;
    }
  }
}
