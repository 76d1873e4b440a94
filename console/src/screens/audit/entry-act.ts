import { type components } from '../../../../src/api-client/openapi.js';
import { triedText } from '../../ui/action-text.js';
import { calledText } from '../access/approving/act-words.js';

const CALL = /^(GET|POST|PUT|DELETE) (\/\S+)$/;

/** What an entry is of, in words: of a call what it does on the device, such as “Changed “ntp › servers””. */
export function actOf({ action, outcome, subject }: components['schemas']['AuditEntry']): string {
  const [, method, path] = (action.startsWith('device.call_') && CALL.exec(subject)) || [];
  return method && path ? calledText({ method, path }, outcome) : triedText(action, outcome);
}
