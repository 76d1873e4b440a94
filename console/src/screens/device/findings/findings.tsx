import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { numberText } from '../../../api/amount-text.js';
import { api, type Schema } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { useMay } from '../../../api/may.js';
import { Mark, stateText, type Tone } from '../../../ui/mark.js';
import { useNow } from '../../../ui/time.js';
import { useNarrow } from '../../../ui/rows/narrow.js';
import { To } from '../../../ui/to.js';
import { alertFact } from '../../monitoring/alert-cause.js';
import { type Remedy, remedyOf } from '../../monitoring/shown/remedies.js';
import { rulesQuery } from '../../monitoring/shown/rules-query.js';
import { type useDeviceLocks } from '../../../ui/devices/device-locks.js';
import { lockFact } from '../device-locks.js';
import styles from './findings.module.css';

type Alert = Schema<'Alert'>;

interface Finding extends Remedy {
  readonly tone: Tone;
  readonly fact: string;
}

const ALERTS = 20;

/** The page of the device comes first: it is usable without them. */
const AFTER_MS = 400;

interface FindingsProps {
  device: Schema<'Device'>;
  locks: ReturnType<typeof useDeviceLocks>;
}

/** What is amiss with a device, each with what helps. Its line is there from the start: what comes moves nothing. */
export function Findings(props: FindingsProps): ReactNode {
  const [isTime, setTime] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setTime(true), AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return <div className={styles['findings']}>{isTime && <Found {...props} />}</div>;
}

/** Locks, open alerts, a missing backup, settings that changed in the last day. They are shown together: none changes its words. */
function Found({ device: { id, state, credentials }, locks }: FindingsProps): ReactNode {
  const alerts = useQuery({
    queryKey: KEYS.alerts.ofDevice(id),
    queryFn: ({ signal }) =>
      api.get('/v1/monitoring/alerts', { params: { query: { device: id, limit: ALERTS } }, signal }),
  });
  const now = useNow();
  const all = alerts.data?.items ?? [];
  const rules = useQuery({ ...rulesQuery, enabled: useMay('monitoring.read') && all.length > 0 });
  // None can be made while another certificate is shown.
  const noBackup = useMatch(id, 'backup:none', useMay('backup.read') && state !== 'trust_changed');
  const isChanged = useMatch(id, 'observed.changed<1d', true);
  const selectors = new Map(rules.data?.items.map((rule) => [rule.id, rule.selector]));
  // Another certificate stands as a notice on the page: an alert about it says nothing more.
  const open = all.filter(({ ruleId }) => state !== 'trust_changed' || !OF_TRUST.test(selectors.get(ruleId) ?? ''));
  const findings: readonly Finding[] = [
    ...open.map((alert) => findingOf(alert, selectors.get(alert.ruleId), now)),
    ...locks.map((lock) => ({ tone: 'warn' as const, fact: lockFact(lock), ...LOCKS })),
    ...(noBackup.data ? [{ tone: 'warn' as const, fact: 'No backup', ...inTab(id, 'Back up', 'backups') }] : []),
    ...(isChanged.data
      ? [{ tone: 'plain' as const, fact: 'Settings changed today', ...inTab(id, 'See the changes', 'history') }]
      : []),
  ];
  const reads = [alerts, rules, noBackup, isChanged];
  if (reads.some(({ isLoading }) => isLoading)) return null;
  if (findings.length === 0) {
    const isWell = state === 'online' && credentials !== null && !reads.some(({ isError }) => isError);
    return isWell ? <span className="quiet">Nothing amiss</span> : null;
  }
  return <Listed findings={findings.toSorted((a, b) => ORDER.indexOf(a.tone) - ORDER.indexOf(b.tone))} />;
}

/** A rule about devices with another certificate. */
const OF_TRUST = /^\s*state[:=]trust_changed\b/;

/** The worst first. */
const ORDER: readonly Tone[] = ['bad', 'strange', 'warn', 'plain'];

const LOCKS: Remedy = { text: 'Locks', to: '/access', search: { tab: 'locks' } };

/** One line has room for so many; the others open by a click. */
const SHOWN = { wide: 2, narrow: 1 } as const;

function Listed({ findings }: { findings: readonly Finding[] }): ReactNode {
  const [isAll, setAll] = useState(false);
  const few = SHOWN[useNarrow() ? 'narrow' : 'wide'];
  const shown = isAll ? findings : findings.slice(0, few);
  return (
    <>
      <ul data-all={isAll || undefined} aria-label="What is amiss">
        {shown.map(({ tone, fact, text, to, search }) => (
          <li key={fact}>
            <span className={styles['fact']} title={fact}>
              <Mark tone={tone}>
                <span className="foreign">{fact}</span>
              </Mark>
            </span>{' '}
            ·{' '}
            <To to={to} search={search}>
              {text}
            </To>
          </li>
        ))}
      </ul>
      {findings.length > few && (
        <button type="button" className={styles['more']} aria-expanded={isAll} onClick={() => setAll(!isAll)}>
          {isAll ? 'fewer' : `${numberText(findings.length - few)} more`}
        </button>
      )}
    </>
  );
}

const TONES: Readonly<Record<Alert['severity'], Tone>> = { critical: 'bad', warning: 'warn', info: 'plain' };

const inTab = (id: string, text: string, tab: string): Remedy => ({ text, to: `/devices/${id}`, search: { tab } });

function findingOf(alert: Alert, selector: string | null | undefined, now: number): Finding {
  const { severity, deviceId } = alert;
  const all = { text: 'Open alerts', to: '/monitoring', search: { device: deviceId } };
  return {
    tone: TONES[severity],
    fact: alertFact(alert, selector, now, stateText),
    ...(remedyOf(selector, deviceId) ?? all),
  };
}

/** Whether the device meets a term of a selector. */
function useMatch(id: string, term: string, isWanted: boolean) {
  return useQuery({
    queryKey: KEYS.device.meets(id, term),
    queryFn: async ({ signal }) => {
      const query = { selector: `id=${id} & ${term}`, fields: 'name', limit: 1 };
      return (await api.get('/v1/devices', { params: { query }, signal })).items.length > 0;
    },
    enabled: isWanted,
  });
}
