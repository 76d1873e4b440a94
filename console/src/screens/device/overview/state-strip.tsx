import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { type Schema } from '../../../api/client.js';
import { stateText } from '../../../ui/mark.js';
import { Failure } from '../../../ui/messages.js';
import { Card } from '../../../ui/page.js';
import { TimeAxis } from '../../../ui/rows/time-axis.js';
import { durationText, exactText, useNow } from '../../../ui/time.js';
import { weekQuery } from '../device-queries.js';
import { type Span, spansOf } from '../state-spans.js';
import { To, useGo } from '../../../ui/to.js';
import styles from './state-strip.module.css';

const DAYS = 7;
const WEEK_MS = DAYS * 86_400_000;

const TONES: Readonly<Record<string, string>> = {
  online: 'good',
  offline: 'bad',
  trust_changed: 'strange',
  new: 'none',
};

const toneOf = (state: string): string => TONES[state] ?? 'warn';

const LEGEND = [
  ['good', 'online'],
  ['bad', 'offline'],
  ['warn', 'password refused'],
  ['strange', 'certificate changed'],
] as const;

interface StateStripProps {
  deviceId: string;
  state: Schema<'Device'>['state'];
  createdAt: string;
}

/** In which state the device was over the last week, as the gateway observed it. */
export function StateStrip({ deviceId, state, createdAt }: StateStripProps): ReactNode {
  const now = useNow();
  const go = useGo();
  const { data, error } = useQuery(weekQuery(deviceId));
  const from = Math.max(now - WEEK_MS, new Date(createdAt).getTime());
  const spans = data ? spansOf(data.items, { state, from, to: now, isCut: data.next !== null }) : [];
  const total = spans.reduce((sum, { ms }) => sum + ms, 0);
  const online = spans.reduce((sum, span) => sum + (span.state === 'online' ? span.ms : 0), 0);
  const text = total === 0 ? '…' : `${((100 * online) / total).toFixed(1)} % online`;
  return (
    <Card title="Online, 7 days">
      {error ? (
        <Failure error={error} />
      ) : (
        <>
          <div className={styles['strip']} role="group" aria-label={`States of the last ${DAYS} days: ${text}`}>
            {spans.map((span) => (
              <button
                key={span.from}
                type="button"
                tabIndex={-1}
                aria-label={titleOf(span)}
                data-tone={toneOf(span.state)}
                style={{ flexGrow: span.ms }}
                title={`${titleOf(span)}. A click shows what was done then.`}
                onClick={() => go('/audit', auditOf(deviceId, span))}
              />
            ))}
          </div>
          <div className={styles['axis']}>{total > 0 && <TimeAxis from={from} to={now} />}</div>
          <p className="row small">
            {LEGEND.filter(([tone]) => tone === 'good' || spans.some(({ state: one }) => toneOf(one) === tone)).map(
              ([tone, name]) => (
                <span key={tone} className={styles['key']} data-tone={tone}>
                  <i /> {name}
                </span>
              ),
            )}
            <span className="quiet">{text}</span>
            <To to="." search={{ tab: 'audit' }}>
              Audit log
            </To>
          </p>
        </>
      )}
    </Card>
  );
}

/** From a little before a state to a little after its begin: what caused it, where a person or a job did. */
const AROUND_MS = 600_000;

const auditOf = (device: string, { from }: Span) => ({
  device,
  since: new Date(from - AROUND_MS).toISOString(),
  until: new Date(from + AROUND_MS).toISOString(),
});

const titleOf = ({ state, from, ms }: Span) =>
  `${stateText(state)} for ${durationText(ms)}, from ${exactText(from)} to ${exactText(from + ms)}`;
