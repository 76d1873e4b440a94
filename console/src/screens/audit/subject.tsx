import { type ReactNode } from 'react';
import { countText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { DeviceLink } from '../../ui/devices/device-link.js';
import { CutText } from '../../ui/rows/cut-text.js';
import { To } from '../../ui/to.js';
import { menuPlace } from '../observed/path-words.js';
import css from './audit.module.css';
import { useSubjectName } from './subject-name.js';

/** What an entry is about: a noun of the log, its word, and the screen of one where there is one, or the part of a screen that names one. */
const NOUNS: Readonly<Record<string, readonly [word: string, screen?: string, part?: string]>> = {
  job: ['Job', '/jobs'],
  rollout: ['Rollout', '/rollouts'],
  fanout: ['Bulk query', '/fan-outs'],
  operator: ['Person', '/access/people'],
  api_key: ['Key'],
  approval: ['Approval'],
  artifact: ['File'],
  backup_policy: ['Backup policy'],
  monitoring_policy: ['Collection of metrics'],
  alert: ['Alert', '/monitoring/alerts'],
  alert_rule: ['Alert rule'],
  schedule: ['Schedule', '/schedules', 'schedule'],
  webhook: ['Webhook'],
  template: ['Template'],
  watch: ['Watch'],
  mute: ['Mute'],
  field: ['Field'],
  discovery: ['Search of networks'],
  sealed_value: ['Sealed value'],
  lock: ['Lock'],
  role: ['Role'],
  selector: ['Selector'],
  device: ['Device'],
};

const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** A device, and a person who signs in, by their names; of other subjects the noun and its name, and a link where it has a screen. @param ofDevice on the page of the device itself */
export function Subject({ entry, ofDevice = false }: { entry: Schema<'AuditEntry'>; ofDevice?: boolean }): ReactNode {
  const { action, deviceId, subject, actorName } = entry;
  const isDevice = deviceId !== null && subject === `device:${deviceId}`;
  if (action === 'request.refuse') return <Refusals entry={entry} />;
  // What a call does on a device is said by its act.
  if (deviceId !== null && !ofDevice && action.startsWith('device.call_'))
    return (
      <span title={subject}>
        <DeviceLink id={deviceId} />
      </span>
    );
  const place = action.startsWith('device.call_') ? menuPlace(subject.slice(subject.indexOf(' ') + 1)) : null;
  const isActor = action === 'login.succeed'; // a person signs in as themselves
  return (
    <span className={css.subject}>
      {deviceId !== null && !ofDevice && <DeviceLink id={deviceId} />}
      {isDevice && ofDevice && <span className="quiet">the device itself</span>}
      {!isDevice && (
        <span className="foreign cut quiet" title={subject}>
          {isActor ? actorName : (place ?? <Named entry={entry} />)}
        </span>
      )}
    </span>
  );
}

/** The act has the words of the route: what is left is how often. */
function Refusals({ entry: { subject, facts } }: { entry: Schema<'AuditEntry'> }): ReactNode {
  const { count } = facts;
  return (
    <span className="quiet" title={subject}>
      {typeof count === 'number' ? countText(count, 'request') : 'The gateway'}
    </span>
  );
}

/** The noun and what it is called; without a name the noun alone, since an id says nothing to a person. */
function Named({ entry }: { entry: Schema<'AuditEntry'> }): ReactNode {
  const { subject } = entry;
  const name = useSubjectName(entry);
  const colon = subject.indexOf(':');
  const noun = subject.slice(0, colon);
  const id = subject.slice(colon + 1);
  if (subject === 'audit' || subject === 'installation') return `The ${subject}`;
  if (colon < 0 || !Object.hasOwn(NOUNS, noun)) return <CutText text={subject} />;
  const [word, screen, part] = NOUNS[noun]!;
  // The name of a job is its kind, a noun of its own: “Firmware update”.
  const text = noun === 'job' && name ? name : [word, name ?? (ID.test(id) ? '' : id)].filter(Boolean).join(' ');
  if (!screen || !ID.test(id)) return text;
  return part ? (
    <To to={screen} search={{ [part]: id }}>
      {text}
    </To>
  ) : (
    <To to={`${screen}/${id}`}>{text}</To>
  );
}
