import { type Schema } from '../../api/client.js';

type Values = Record<string, unknown>;

/**
 * What the log saw before and after the command of the step at which a job ended. The first line of a step with an effect is
 * its intent, written before the command is sent.
 */
export function evidenceOf(job: Schema<'JobWithLog'>): { before: Values; after: Values } {
  const lines = job.log.filter(({ step }) => step !== 'end');
  const last = lines.at(-1)?.step ?? job.step;
  const intent = lines.findIndex(({ step }) => step === last);
  const before: Values = {};
  const after: Values = {};
  lines.forEach(({ facts }, at) => Object.assign(intent >= 0 && at > intent ? after : before, facts));
  return { before, after: { ...after, ...job.failure?.facts } };
}
