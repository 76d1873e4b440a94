import { type ReactNode } from 'react';
import { amountText, bytesText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { planText, planUse } from '../../api/limits/data-plan.js';
import { Ago, momentText, useNow } from '../../ui/time.js';
import { signalWord, uptimeText } from '../device-status/instruments.js';
import styles from './vitals.module.css';

type Sample = NonNullable<Schema<'SampledDevice'>['sample']>;

/** From here on a value is a warning. */
const [WEAK_DBM, HOT_C] = [-100, 65];

interface VitalsProps {
  sample: Sample;
  planMb: unknown;
  /** The device gives no values now: these are of before, and say nothing about how it is. */
  isAway: boolean;
}

/** The five values of a device that people ask for first, from its latest sample. What it does not say is left out. */
export function Vitals({ sample, planMb, isAway }: VitalsProps): ReactNode {
  const { rsrp, operator, connectionType, dataMonth, uptimeSeconds, temperature, memoryFree, sampledAt } = sample;
  const now = useNow();
  const plan = planUse(dataMonth ?? 0, planMb);
  const values = [
    [
      'Signal',
      amountText(rsrp, 'dBm'),
      rsrp === null ? '' : signalWord(rsrp),
      rsrp !== null && rsrp < WEAK_DBM ? 'warn' : 'plain',
    ],
    ['Mobile network', operator, connectionType ?? '', 'plain'],
    [
      'Data this month',
      dataMonth === null ? null : bytesText(dataMonth),
      plan ? planText(plan) : 'no data plan is set',
      plan?.tone ?? 'plain',
    ],
    ['Uptime', uptimeSeconds === null ? null : uptimeText(uptimeSeconds), '', 'plain'],
    ['Temperature', amountText(temperature, '°C'), '', temperature !== null && temperature >= HOT_C ? 'warn' : 'plain'],
    ['Free memory', amountText(memoryFree, '%'), '', 'plain'],
  ] as const;
  return (
    <section className={isAway ? 'card quiet' : 'card'} aria-label={isAway ? 'Last values' : 'Latest values'}>
      <dl className={styles['vitals']}>
        {values.map(
          ([name, value, about, tone]) =>
            value !== null && (
              <div key={name}>
                <dt className="small quiet">{name}</dt>
                <dd className="foreign">
                  <strong data-tone={isAway ? 'plain' : tone}>{value}</strong>{' '}
                  <span className="small quiet">{about}</span>
                </dd>
              </div>
            ),
        )}
        <div>
          <dt className="small quiet">{isAway ? 'Last values' : 'Read'}</dt>
          <dd>
            {isAway ? momentText(sampledAt, now) : <Ago at={sampledAt} />}
            {isAway && <span className="small">none since then</span>}
          </dd>
        </div>
      </dl>
    </section>
  );
}
