import { type ReactNode, lazy, Suspense } from 'react';
import { bytesText } from '../../api/amount-text.js';
import { planUse } from '../../api/limits/data-plan.js';
import { CopyButton } from '../../ui/copy.js';
import {
  type Instruments,
  type Jack,
  type Mobile,
  type Position,
  type Signal,
  type Store,
  uptimeText,
} from './instruments.js';
import { RSRP, RSSI, TEMPERATURE } from './bands.js';
import { Scale } from './scale.js';
import styles from './status.module.css';

const PositionMap = lazy(async () => ({ default: (await import('./position-map.js')).PositionMap }));

/** Above these shares of a store, and of its processors, a value is a warning or bad. */
const [WARN, BAD] = [80, 95];

/** Each value as an instrument. What the device does not have has none. */
export function Tiles({ of, planMb }: { of: Instruments; planMb: unknown }): ReactNode {
  const { signal, mobile, memory, flash, load, uptimeSeconds, temperature, jacks, position, dataMonth } = of;
  return (
    <div className={styles['tiles']}>
      {mobile && <SignalTile signal={signal} />}
      {mobile && <NetworkTile mobile={mobile} />}
      {dataMonth !== null && <DataTile bytes={dataMonth} planMb={planMb} />}
      {memory && <StoreTile title="Memory" of={memory} />}
      {flash && <StoreTile title="Flash" of={flash} />}
      {load && <LoadTile {...load} />}
      {uptimeSeconds !== null && <Tile title="Uptime">{uptimeText(uptimeSeconds)}</Tile>}
      {temperature !== null && (
        <Tile
          title="Temperature of the modem"
          tone={temperature >= 80 ? 'bad' : temperature >= 65 ? 'warn' : 'plain'}
          below={<Scale of={TEMPERATURE} value={temperature} />}
        >
          {temperature.toLocaleString('en', { maximumFractionDigits: 1 })} °C
        </Tile>
      )}
      {jacks.length > 0 && <JacksTile jacks={jacks} />}
      {position && <PositionTile position={position} />}
    </div>
  );
}

type Tone = 'plain' | 'warn' | 'bad';

interface TileProps {
  title: string;
  tone?: Tone;
  /** Below the value. */
  below?: ReactNode;
  children: ReactNode;
}

function Tile({ title, tone = 'plain', below, children }: TileProps): ReactNode {
  return (
    <section className={`card ${styles['tile']}`} data-tone={tone}>
      <h2>{title}</h2>
      <strong className="foreign">{children}</strong>
      {below}
    </section>
  );
}

const dbm = (value: number) => `${value < 0 ? '−' : ''}${Math.abs(value).toLocaleString('en')}`;

function SignalTile({ signal }: { signal: Signal | null }): ReactNode {
  if (!signal)
    return (
      <Tile title="Signal" tone="bad">
        no signal
      </Tile>
    );
  const { bars, word, dbm: value, of, rsrq, sinr } = signal;
  const others = [rsrq === null ? null : `RSRQ ${dbm(rsrq)} dB`, sinr === null ? null : `SINR ${dbm(sinr)} dB`];
  return (
    <Tile
      title="Signal"
      tone={bars === 0 ? 'bad' : bars === 1 ? 'warn' : 'plain'}
      below={
        <>
          <Scale of={of === 'RSRP' ? RSRP : RSSI} value={value} />
          <span className="small quiet">{[of, ...others.filter(Boolean)].join(' · ')}</span>
        </>
      }
    >
      <span className="row">
        <svg className={styles['bars']} viewBox="0 0 24 16" role="img" aria-label={`${bars} of 4 bars`}>
          {[0, 1, 2, 3].map((bar) => (
            <rect key={bar} data-on={bar < bars} x={bar * 6} y={12 - bar * 4} width={4} height={4 + bar * 4} rx={1} />
          ))}
        </svg>
        {dbm(value)} dBm, {word}
      </span>
    </Tile>
  );
}

function NetworkTile({ mobile }: { mobile: Mobile }): ReactNode {
  const { operator, type, band, state, simCount, activeSim, simState } = mobile;
  return (
    <Tile
      title="Mobile network"
      tone={operator === null ? 'warn' : 'plain'}
      below={
        <>
          <span className="small quiet foreign">{[type, band, state].filter(Boolean).join(' · ')}</span>
          <ul className={styles['slots']} aria-label="SIM slots">
            {Array.from({ length: simCount }, (_, index) => index + 1).map((slot) => (
              <li key={slot} data-on={slot === activeSim}>
                SIM {slot}
                {slot === activeSim && <span className="visually-hidden">, in use</span>}
                {slot === activeSim && simState && <span className="foreign"> · {simState}</span>}
              </li>
            ))}
          </ul>
        </>
      }
    >
      {operator ?? 'not registered'}
    </Tile>
  );
}

function DataTile({ bytes, planMb }: { bytes: number; planMb: unknown }): ReactNode {
  const plan = planUse(bytes, planMb);
  if (plan === null)
    return (
      <Tile
        title="Data this month"
        below={<span className="small quiet">No data plan is set. Edit the device to set one.</span>}
      >
        {bytesText(bytes)}
      </Tile>
    );
  const text = `${bytesText(bytes)} of ${bytesText(plan.planBytes)}`;
  return <BarTile title="Data this month" percent={plan.percent} text={text} tone={plan.tone} />;
}

const toneOf = (percent: number): Tone => (percent >= BAD ? 'bad' : percent >= WARN ? 'warn' : 'plain');

interface BarTileProps {
  title: string;
  percent: number;
  text: string;
  tone?: Tone;
}

/** Its bar is filled by what is used. */
function BarTile({ title, percent, text, tone = toneOf(percent) }: BarTileProps): ReactNode {
  const shown = Math.round(percent);
  const used = `${shown} % used`;
  return (
    <Tile
      title={title}
      tone={tone}
      below={
        <>
          <div
            className={styles['bar']}
            role="meter"
            aria-label={title}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={Math.min(100, shown)}
            aria-valuetext={used}
          >
            <i style={{ width: `${Math.min(100, percent)}%` }} />
          </div>
          <span className="small quiet">{text}</span>
        </>
      }
    >
      {used}
    </Tile>
  );
}

/** Its number and its bar say what is used; the line below, what is free. */
function StoreTile({ title, of: { usedPercent, totalMiB } }: { title: string; of: Store }): ReactNode {
  const free = 100 - usedPercent;
  const text =
    totalMiB === null
      ? `${Math.round(free)} % free`
      : `${Math.round((totalMiB * free) / 100)} of ${Math.round(totalMiB)} MiB free`;
  return <BarTile title={title} percent={usedPercent} text={text} />;
}

function LoadTile({ min1, cores }: { min1: number; cores: number | null }): ReactNode {
  const text = min1.toFixed(2);
  if (!cores) return <Tile title="Load, 1 min">{text}</Tile>;
  const of = `${text} on ${cores} ${cores === 1 ? 'core' : 'cores'}`;
  return <BarTile title="Load, 1 min" percent={(min1 / cores) * 100} text={of} />;
}

const LINKS = { true: 'up', false: 'no link', null: 'not known' } as const;

function JacksTile({ jacks }: { jacks: readonly Jack[] }): ReactNode {
  const areTold = jacks.some(({ isUp }) => isUp !== null);
  return (
    <section className={`card ${styles['tile']} ${styles['wide']}`}>
      <h2>Ports</h2>
      <ul className={styles['jacks']}>
        {jacks.map(({ name, isUp, isFault }) => (
          <li key={name} data-up={String(isUp)} data-fault={isFault}>
            <svg viewBox="0 0 24 20" aria-hidden="true">
              <path d="M1 1h22v18H1z M6 19v-5h3v-3h6v3h3v5" />
            </svg>
            <span className="small foreign">{name}</span>
            {areTold && <span className="small quiet">{LINKS[`${isUp}`]}</span>}
          </li>
        ))}
      </ul>
      {!areTold && <span className="small quiet">The device does not say which of them have a link.</span>}
    </section>
  );
}

function PositionTile({ position }: { position: Position | 'no fix' }): ReactNode {
  if (position === 'no fix')
    return (
      <Tile title="Position" below={<span className="small quiet">The receiver sees too few satellites.</span>}>
        not known
      </Tile>
    );
  const { latitude, longitude, satellites } = position;
  const text = `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
  return (
    <section className={`card ${styles['tile']} ${styles['wide']}`}>
      <h2>Position</h2>
      <Suspense fallback={<div className={styles['map']} />}>
        <PositionMap latitude={latitude} longitude={longitude} />
      </Suspense>
      <span className="row small">
        {text}
        <CopyButton text={text} label="Copy the coordinates" />
        {satellites !== null && <span className="quiet">{satellites} satellites</span>}
      </span>
    </section>
  );
}
