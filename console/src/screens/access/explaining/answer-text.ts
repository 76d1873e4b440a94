import { PERMISSIONS } from '../../../../../src/api-client/permission-words.js';

/* The answer to a question about rights, in one sentence. */

/** What is asked, as texts of the address. */
export interface Question {
  readonly operator?: string | undefined;
  readonly action: string;
  readonly device?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
}

type Verdict = Readonly<Record<'allowed' | 'inPart', boolean>>;

const WORDS: Readonly<Record<string, string>> = PERMISSIONS;

/** `Edith may not call devices to write on pump-1, PUT /api/ntp/global.` @param who undefined: the person who asks */
export function answerText(question: Question, who: string | undefined, { allowed, inPart }: Verdict): string {
  const where = inPart ? ', but not on all devices or paths' : '';
  return `${who ?? 'You'} ${allowed ? 'may' : 'may not'} ${actText(question)}${where}.`;
}

/** `call devices to write on pump-1, PUT /api/ntp/global`. */
export function actText({ action, device, method, path }: Question): string {
  const where = device ? ` on ${device.replace(/^name:/, '')}` : '';
  const call = path ? `, ${method ? `${method} ` : ''}${path}` : '';
  return `${WORDS[action] ?? action}${where}${call}`;
}

const VERDICTS = ['is allowed by ', 'is denied by ', 'is not allowed: '];

/** The reason of the gateway without the permission that it names by its code: `Allowed by rule 1 of the role auditor.` */
export function reasonText(because: string): string {
  const at = VERDICTS.map((verdict) => because.indexOf(verdict)).find((index) => index >= 0);
  if (at === undefined) return because;
  const text = because
    .slice(at + 'is '.length)
    .replace('nothing in the roles of the operator allows it', 'no role allows it');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
