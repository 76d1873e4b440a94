import { type ReactNode } from 'react';
import { wordsOfOption } from '../../../../src/device-api/words/dictionary.js';
import { type Schema } from '../../api/client.js';
import { type Column } from '../../ui/list-table.js';
import { Mark, type Tone } from '../../ui/mark.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { type DeviatingRow } from './deviations.js';
import styles from './observed.module.css';
import { sectionTitle } from './path-words.js';
import { sectionName, valueWords } from './value-words.js';

type Row = Schema<'ObservedSection'>;

const KINDS: Readonly<Record<DeviatingRow['kind'], readonly [Tone, string]>> = {
  'only here': ['warn', 'Only here'],
  missing: ['warn', 'Missing here'],
  different: ['warn', 'Different'],
};

/** Widths in percent. */
const SHARES = { state: 12, device: 16, section: 15, changed: 10 } as const;

const shareOf = (options: readonly string[]): number =>
  Math.floor((100 - SHARES.state - SHARES.device - SHARES.section - SHARES.changed) / Math.max(1, options.length));

/** Rows that differ from most, with what most have below each value that is another one. */
export const columnsOfOdd = (
  service: string,
  options: readonly string[],
  most: readonly Row[],
): readonly Column<DeviatingRow>[] => [
  {
    title: 'State',
    narrow: 'beside',
    share: SHARES.state,
    cell: ({ kind }) => <Mark tone={KINDS[kind][0]}>{KINDS[kind][1]}</Mark>,
  },
  { ...DEVICE, narrow: 'heading', share: SHARES.device },
  { ...sectionOf(service), narrow: 'line', share: SHARES.section },
  ...options.map((option) => ({
    share: shareOf(options),
    title: wordsOfOption(service, option).title,
    brief: (row: DeviatingRow) =>
      (row.kind !== 'different' || row.odd.includes(option)) &&
      `${wordsOfOption(service, option).title} ${valueWords(service, option, row.options[option])}`,
    cell: (row: DeviatingRow) => <OddValue service={service} option={option} row={row} most={most} />,
  })),
  {
    title: 'Changed',
    narrow: 'none',
    share: SHARES.changed,
    cell: ({ changedAt }) => (changedAt ? <Ago at={changedAt} /> : '–'),
  },
];

interface OddValueProps {
  readonly service: string;
  readonly option: string;
  readonly row: DeviatingRow;
  readonly most: readonly Row[];
}

function OddValue({ service, option, row, most }: OddValueProps): ReactNode {
  const text = valueWords(service, option, row.options[option]);
  if (row.kind === 'missing') return <del className="foreign quiet cut">{text}</del>;
  if (!row.odd.includes(option)) return <span className="foreign cut">{text}</span>;
  const usual = most.find(({ section }) => section === row.section)?.options[option];
  return (
    <>
      <strong className={`foreign cut ${styles['odd']}`}>{text}</strong>
      <span className={`small quiet foreign ${styles['most']}`}>most: {valueWords(service, option, usual)}</span>
    </>
  );
}

/** What most have. */
export const columnsOfMost = (service: string, options: readonly string[]): readonly Column<Row>[] => [
  { ...sectionOf(service), narrow: 'heading', share: SHARES.section },
  ...optionColumns(service, options),
];

/** Every section of every device. */
export const columnsOfAll = (service: string, options: readonly string[]): readonly Column<Row>[] => [
  DEVICE,
  { ...sectionOf(service), narrow: 'line' },
  ...optionColumns(service, options),
  { title: 'Read', narrow: 'none', cell: ({ readAt }) => <Ago at={readAt} /> },
  { title: 'Changed', narrow: 'none', cell: ({ changedAt }) => (changedAt ? <Ago at={changedAt} /> : '–') },
];

const DEVICE: Column<Row> = {
  title: 'Device',
  cell: ({ deviceId, device }) => (
    <To to={`/devices/${deviceId}`} search={{ tab: 'history' }} className="foreign cut" title={device}>
      {device}
    </To>
  ),
};

const sectionOf = (service: string): Column<Row> => ({
  title: sectionTitle(service),
  cell: ({ section, options }) => (
    <span className="foreign" title={section}>
      {sectionName(section, options)}
    </span>
  ),
});

const optionColumns = (service: string, options: readonly string[]): readonly Column<Row>[] =>
  options.map((option) => ({
    title: wordsOfOption(service, option).title,
    brief: (row) =>
      row.options[option] !== undefined &&
      `${wordsOfOption(service, option).title} ${valueWords(service, option, row.options[option])}`,
    cell: (row) => <span className="foreign cut">{valueWords(service, option, row.options[option])}</span>,
  }));
