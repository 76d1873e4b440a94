import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api, type Schema } from '../../api/client.js';
import { stateText } from '../../ui/mark.js';
import { Failure } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { durationText, exactText, useNow } from '../../ui/time.js';
import { type Span, spansOf } from './state-spans.js';
import { To } from '../../ui/to.js';
import '../../styles/overview.css';
import styles from './state-strip.module.css';

const DAYS = 7;
const WEEK_MS = DAYS * 86_400_000;

/** Observations that are read; with more in a week, the strip begins later. */
const READ = 500;

const TONES: Readonly<Record<string, string>> = { online: 'good', offline: 'bad', new: 'none' };

const LEGEND = [
  ['good', 'online'],
  ['bad', 'offline'],
  ['warn', 'refused or changed'],
] as const;

/** Where the axis has a time. */
const TICKS = [0, 0.25, 0.5, 0.75, 1];
const AXIS = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

interface StateStripProps {
  deviceId: string;
  state: Schema<'Device'>['state'];
  createdAt: string;
}

/** In which state the device was over the last week, as the gateway observed it. */
export function StateStrip({ deviceId, state, createdAt }: StateStripProps): ReactNode {
  const now = useNow();
  const { data, error } = useQuery({
    queryKey: ['device', deviceId, 'history', 'states'],
    queryFn: ({ signal }) =>
      api.get('/v1/devices/{ref}/history', { params: { path: { ref: deviceId }, query: { limit: READ } }, signal }),
  });
  const from = Math.max(now - WEEK_MS, new Date(createdAt).getTime());
  const spans = data ? spansOf(data.items, { state, from, to: now, isCut: data.next !== null }) : [];
  const total = spans.reduce((sum, { ms }) => sum + ms, 0);
  const online = spans.reduce((sum, span) => sum + (span.state === 'online' ? span.ms : 0), 0);
  const text = total === 0 ? '…' : `${((100 * online) / total).toFixed(1)} % online`;
  return (
    <Card title="State over time">
      {error ? (
        <Failure error={error} />
      ) : (
        <>
          <div
            className={`strip spans ${styles['strip']}`}
            role="img"
            aria-label={`States of the last ${DAYS} days: ${text}`}
          >
            {spans.map((span) => (
              <i
                key={span.from}
                data-tone={TONES[span.state] ?? 'warn'}
                style={{ flexGrow: span.ms }}
                title={titleOf(span)}
              />
            ))}
          </div>
          <div className={`small quiet ${styles['axis']}`}>
            {total > 0 &&
              TICKS.map((part) => <span key={part}>{AXIS.format(new Date(from + part * (now - from)))}</span>)}
          </div>
          <p className="row small">
            {LEGEND.map(([tone, name]) => (
              <span key={tone} className={styles['key']} data-tone={tone}>
                <i /> {name}
              </span>
            ))}
            <span className="quiet">{text}</span>
            <To to="." search={{ tab: 'audit' }}>
              What was done to it
            </To>
          </p>
        </>
      )}
    </Card>
  );
}

const titleOf = ({ state, from, ms }: Span) =>
  `${stateText(state)} for ${durationText(ms)}, from ${exactText(from)} to ${exactText(from + ms)}`;
