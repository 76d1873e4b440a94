import { type ConnectStage, type ExchangeError } from '../device-api/http.js';

/*
 * The stages of a check by hand: what the gateway passes on its way to an answer of a device, in order. Pure.
 *
 * The login is not tried: it would cost the device memory, and a wrong password could lock its account. So its stage says
 * what the last calls have shown.
 */

export const STAGES = ['name', 'tcp', 'tls', 'answer', 'login'] as const;
type StageName = (typeof STAGES)[number];

export interface Stage {
  readonly stage: StageName;
  /** `skipped`: not needed, not known, or an earlier stage failed. */
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly ms: number | null;
  readonly detail: string | null;
}

/** What the gateway knows of the login. */
export type LoginKnowledge = Pick<Stage, 'outcome' | 'detail'>;

export interface Attempt {
  readonly baseUrl: string;
  /** When each stage was passed, in milliseconds since the beginning. */
  readonly passed: ReadonlyMap<ConnectStage | 'answer', number>;
  /** How long the attempt took. */
  readonly ms: number;
  /** Null: the device answered. */
  readonly error: ExchangeError | null;
}

/** The stages of an attempt, each with its own time. */
export function stagesOf({ baseUrl, passed, ms, error }: Attempt, login: LoginKnowledge): Stage[] {
  const failedAt = error && failedStage(error, baseUrl, passed);
  let before = 0;
  let isOver = false;
  return STAGES.map((stage): Stage => {
    if (stage === failedAt) {
      isOver = true;
      return { stage, outcome: 'failed', ms: rounded(ms - before), detail: reasonOf(error!) };
    }
    if (stage === 'login') return isOver ? skipped(stage, null) : { stage, ms: null, ...login };
    const at = passed.get(stage);
    if (isOver || at === undefined) return skipped(stage, isOver ? null : notNeeded(stage));
    const own = at - before;
    before = at;
    return { stage, outcome: 'passed', ms: rounded(own), detail: null };
  });
}

/** The first stage that was not passed. */
function failedStage(error: ExchangeError, baseUrl: string, passed: Attempt['passed']): StageName {
  const { hostname, protocol } = new URL(baseUrl);
  if (error.fault === 'pin') return 'tls';
  const stages: readonly ConnectStage[] = [
    ...(isNumeric(hostname) ? [] : ['name' as const]),
    'tcp',
    ...(protocol === 'https:' ? ['tls' as const] : []),
  ];
  return stages.find((stage) => !passed.has(stage)) ?? 'answer';
}

const isNumeric = (hostname: string): boolean => hostname.startsWith('[') || /^[\d.]+$/.test(hostname);

function reasonOf({ fault, facts }: ExchangeError): string {
  const reason = facts['reason'] ?? facts['phase'];
  return typeof reason === 'string' ? `${fault}: ${reason}` : fault;
}

const notNeeded = (stage: StageName): string | null =>
  stage === 'name' ? 'the address is a number' : stage === 'tls' ? 'the address is not encrypted' : null;

const skipped = (stage: StageName, detail: string | null): Stage => ({ stage, outcome: 'skipped', ms: null, detail });

const rounded = (ms: number): number => Math.max(0, Math.round(ms));
