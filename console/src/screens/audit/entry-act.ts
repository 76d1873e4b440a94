import { type components } from '../../../../src/api-client/openapi.js';
import { readable } from '../../../../src/device-api/words/readable.js';
import { triedText } from '../../ui/words/action-text.js';
import { actText, calledText, readSummary } from '../access/approving/act-words.js';
import { kindTitle } from '../jobs/kinds.js';

const CALL = /^(GET|POST|PUT|DELETE) (\/\S+)$/;

/** What an entry is of, in words: of a call what it does on the device, such as “Changed “Time servers””. */
export function actOf({ action, outcome, subject }: components['schemas']['AuditEntry']): string {
  if (action === 'request.refuse') return refusedText(subject);
  const [, method, path] = (action.startsWith('device.call_') && CALL.exec(subject)) || [];
  return method && path ? calledText({ method, path }, outcome) : triedText(action, outcome);
}

const ROUTE = /^([A-Z]{3,7}) \/v1\/(\S+)$/;

/** What was asked of the gateway itself, by the fixed parts of the route: `GET /v1/devices/:ref/jobs` asks for “Devices › Jobs”. */
function refusedText(subject: string): string {
  const [, method, route] = ROUTE.exec(subject) ?? [];
  if (route === undefined) return triedText('request.refuse', 'refused');
  if (route === 'self') return 'Asked who they are signed in as';
  const parts = route.split('/').filter((part) => part !== '' && !part.startsWith(':') && !part.startsWith('{'));
  return `${method === 'GET' ? 'Asked for' : 'Tried to change'} “${parts.map(readable).join(' › ')}”`;
}

type Subject = Pick<components['schemas']['AuditEntry'], 'subject' | 'facts'>;

/** What an entry is about, as a noun of the log: `rollout`, `operator`. */
export const nounOf = ({ subject }: Subject): string => subject.slice(0, subject.indexOf(':'));

/** What the subject of an entry is called by what the entry itself says; undefined: it does not say. */
export function notedName(entry: Subject): string | undefined {
  const { name, kind, reason, devices, summary } = entry.facts;
  if (typeof name === 'string') return name;
  const noun = nounOf(entry);
  if (noun === 'job' && typeof kind === 'string') return kindTitle(kind);
  if (noun === 'lock' && typeof reason === 'string') return `“${reason}”`;
  const { requests } = readSummary(isRecord(summary) ? summary : entry.facts);
  if (requests.length === 0) return undefined;
  return `to ${actText({ requests }, typeof devices === 'number' ? devices : null)}`;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
