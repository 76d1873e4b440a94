import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { pathTitle } from '../observed/path-words.js';
import { type ItemLine, itemLines, type OptionLine } from './draft-difference.js';
import { type Item, keyText, MODES, optionTitle } from './item-words.js';
import styles from './templates.module.css';

interface ItemsProps {
  readonly template: Pick<Schema<'Template'>, 'selector' | 'items'>;
  /** What is in force; null: nothing, so nothing is compared. */
  readonly published: Pick<Schema<'TemplateVersion'>, 'selector' | 'items' | 'number'> | null;
}

/** What a template says, section by section; a draft with what it changes of the published version. */
export function Items({ template, published }: ItemsProps): ReactNode {
  const lines = itemLines(template.items, published?.items ?? null);
  const isDifferent = lines.some(({ state }) => state !== 'same');
  const isOther = published !== null && published.selector !== template.selector;
  return (
    <div className="stack">
      {isOther && (
        <p>
          Devices: <del className="foreign">{published.selector ?? 'not shown to you'}</del>{' '}
          <span aria-hidden="true">→</span>{' '}
          <strong className="foreign">{template.selector ?? 'not shown to you'}</strong>
        </p>
      )}
      {isDifferent && published && (
        <p className="small quiet">
          Values of version {published.number} are struck through where the draft has others.
        </p>
      )}
      <Table
        label="What the template says"
        columns={isDifferent ? [...COLUMNS, STATE] : COLUMNS}
        rows={lines}
        rowKey={({ item, state }) => JSON.stringify([item.path, item.key, item.mode, state])}
      />
    </div>
  );
}

const COLUMNS: readonly Column<ItemLine>[] = [
  {
    title: 'Setting',
    narrow: 'heading',
    cell: ({ item: { path } }) => <span title={path}>{pathTitle(path)}</span>,
  },
  {
    title: 'Section',
    narrow: 'line',
    cell: ({ item }) => <Section item={item} />,
  },
  {
    title: 'Rule',
    narrow: 'line',
    cell: ({ item: { mode }, modeBefore }) => (
      <>
        {modeBefore && (
          <>
            <del className="quiet">{MODES[modeBefore]}</del>{' '}
          </>
        )}
        {MODES[mode]}
      </>
    ),
  },
  { title: 'Options', narrow: 'block', cell: (line) => <Options line={line} /> },
];

const STATE: Column<ItemLine> = {
  title: 'Draft',
  narrow: 'beside',
  cell: ({ state }) => {
    if (state === 'new') return <Mark tone="busy">New</Mark>;
    if (state === 'changed') return <Mark tone="busy">Changed</Mark>;
    return state === 'removed' ? <Mark tone="plain">Removed</Mark> : <span className="quiet">as published</span>;
  },
};

function Section({ item: { path, key } }: { item: Item }): ReactNode {
  const fields = Object.keys(key);
  if (fields.length === 0) return <span className="quiet">the only one</span>;
  return (
    <span>
      {fields.length === 1 && <span className="quiet">{optionTitle(path, fields[0]!)}</span>}{' '}
      <span className="foreign">{keyText(path, key)}</span>
    </span>
  );
}

function Options({ line: { item, options, state } }: { line: ItemLine }): ReactNode {
  if (options.length === 0) return <span className="quiet">{item.mode === 'absent' ? '–' : 'that it is there'}</span>;
  return (
    <ul className={styles['lines']}>
      {options.map((one) => (
        <li key={one.option}>
          <span className="quiet">{optionTitle(item.path, one.option)}</span>{' '}
          {state === 'removed' ? <del className="foreign">{one.before}</del> : <Value line={one} />}
        </li>
      ))}
    </ul>
  );
}

function Value({ line: { before, after } }: { line: OptionLine }): ReactNode {
  if (before === after) return <span className="foreign">{after}</span>;
  return (
    <>
      {before !== null && (
        <>
          <del className="foreign">{before}</del> <span aria-hidden="true">→</span>{' '}
        </>
      )}
      {after === null ? <ins>not named any more</ins> : <ins className="foreign">{after}</ins>}
    </>
  );
}
