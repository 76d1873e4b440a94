import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText, numberText, pluralText } from '../../../api/amount-text.js';
import { api, type Schema } from '../../../api/client.js';
import { summaryQuery } from '../../../api/queries.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { exclusionText } from '../../../ui/devices/selection-preview.js';
import { Mark, StateMark } from '../../../ui/mark.js';
import { Facts } from '../../../ui/page.js';
import { Ago } from '../../../ui/time.js';
import { To } from '../../../ui/to.js';
import styles from '../access.module.css';
import { type AskedRequest, type AskedSummary, isSameAct, namesText } from './act-words.js';
import { effectQuery } from './effect.js';

/** What a person needs to judge a request: the calls, the devices with their states, and what the same did last time. */
export function ApprovalFacts({ approval, asked }: { approval: Schema<'Approval'>; asked: AskedSummary }): ReactNode {
  const { selector, requests } = asked;
  return (
    <Facts
      of={[
        [
          'Calls',
          <span key="calls">
            {requests.map(({ method, path }) => (
              <code key={`${method} ${path}`} className="foreign">
                {method} {path}{' '}
              </code>
            ))}
          </span>,
        ],
        [
          'Devices',
          selector ? (
            <To key="devices" to="/devices" search={{ selector }}>
              <code>{selector}</code>
            </To>
          ) : (
            'a choice that you see only in part'
          ),
        ],
        ['Device states', selector ? <DeviceStates key="states" selector={selector} /> : 'not known'],
        ['Effect now', <Effect key="effect" selector={selector} />],
        ['Last such request', <LastAct key="last" requests={requests} />],
        ['Ends', <Ago key="ends" at={approval.expiresAt} />],
      ]}
    />
  );
}

function DeviceStates({ selector }: { selector: string }): ReactNode {
  const { data, error } = useQuery(summaryQuery({ selector, by: 'state' }));
  if (!data) return <span className="quiet">{error ? 'not known' : '…'}</span>;
  const values = data.groups[0]?.values ?? [];
  return (
    <span className="row">
      {values.map(({ value, devices }) => (
        <span key={value} className="row">
          <StateMark state={value} /> {devices.toLocaleString('en')}
        </span>
      ))}
    </span>
  );
}

/** How many of the devices the calls would reach now, and what keeps the others from them. */
function Effect({ selector }: { selector: string | null }): ReactNode {
  const { data, error } = useQuery(effectQuery(selector));
  if (!data) return <span className="quiet">{selector === null || error ? 'not known' : '…'}</span>;
  return (
    <span className={styles['effect']}>
      <span>
        Reaches <strong>{numberText(data.reached)}</strong> of {countText(data.matched, 'device')}
      </span>
      {data.away.count > 0 && (
        <Mark tone="bad">
          <span className="foreign">
            fails on {numberText(data.away.count)}, which {pluralText(data.away.count, 'does', 'do')} not answer:{' '}
            {namesText(data.away.names, data.away.count)}
          </span>
        </Mark>
      )}
      {data.excluded.map(({ reason, count, sample }) => (
        <Mark key={reason} tone={reason === 'device_trust_changed' ? 'strange' : 'warn'}>
          <span className="foreign">
            skips {numberText(count)}, because {exclusionText(reason, count)}:{' '}
            {namesText(
              sample.map(({ name }) => name),
              count,
            )}
          </span>
        </Mark>
      ))}
    </span>
  );
}

/** Fan-outs among which the last one is looked for. */
const LOOKED_AT = 100;

function LastAct({ requests }: { requests: readonly AskedRequest[] }): ReactNode {
  const { data, error } = useQuery({
    queryKey: KEYS.fanOuts.lastActs,
    queryFn: ({ signal }) => api.get('/v1/fan-outs', { params: { query: { limit: LOOKED_AT } }, signal }),
  });
  if (!data) return <span className="quiet">{error ? 'not known' : '…'}</span>;
  const last = data.items.find((one) => one.state !== 'running' && isSameAct(one.requests, requests));
  if (!last) return <span className="quiet">none among the last {countText(LOOKED_AT, 'call')} that you may see</span>;
  const all = Object.values(last.counts ?? {}).reduce((sum, count) => sum + count, 0);
  const good = last.counts?.['succeeded'] ?? 0;
  return (
    <span className="foreign">
      <Ago at={last.startedAt} /> by {last.startedBy}:{' '}
      <To to={`/fan-outs/${last.id}`}>
        {last.counts === null
          ? 'open it to see your devices'
          : `${good.toLocaleString('en')} of ${all.toLocaleString('en')} succeeded`}
      </To>
    </span>
  );
}
