import { Fragment, type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { pathTitle } from '../observed/path-words.js';
import { type ItemLine, itemLines, type OptionLine } from './draft-difference.js';
import { type Item, keyText, optionTitle, placeholders, placeholderText, RULES } from './item-words.js';
import changes from '../../ui/rows/changes.module.css';
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
  const fields = placeholders(template.items);
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
      {fields.length > 0 && (
        <p className="small quiet">
          Each router gets its own value of{' '}
          {fields.map((field, at) => (
            <Fragment key={field}>
              {at > 0 && ', '}
              <code className="foreign">{field}</code> ({placeholderText(field)})
            </Fragment>
          ))}
          . A router without it is left out.
        </p>
      )}
    </div>
  );
}

const COLUMNS: readonly Column<ItemLine>[] = [
  {
    title: 'Setting',
    narrow: 'heading',
    cell: ({ item, modeBefore }) => (
      <span className={styles['setting']}>
        <strong title={item.path}>
          {pathTitle(item.path)} <Section item={item} />
        </strong>
        <span className="small quiet">
          {modeBefore && (
            <>
              <del>{RULES[modeBefore]}</del>{' '}
            </>
          )}
          {RULES[item.mode]}
        </span>
      </span>
    ),
  },
  { title: 'Options', narrow: 'block', share: 52, cell: (line) => <Options line={line} /> },
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

/** By its own name, as `guest`; one that only has a number, as `Section 1`. */
function Section({ item: { path, key } }: { item: Item }): ReactNode {
  const fields = Object.keys(key);
  if (fields.length === 0) return null;
  const text = keyText(path, key);
  const isNumber = /^\d+$/.test(text);
  return (
    <span title={fields.length === 1 ? `The section whose ${optionTitle(path, fields[0]!)} is ${text}` : undefined}>
      › {isNumber && 'section '}
      <span className="foreign">{text}</span>
    </span>
  );
}

function Options({ line: { item, options, state } }: { line: ItemLine }): ReactNode {
  if (options.length === 0)
    return <span className="quiet">{item.mode === 'absent' ? '–' : 'any: the section only has to exist'}</span>;
  const sealed = new Set(item.sealed.map(({ option }) => option));
  return (
    <dl className={`${styles['options']} ${changes['changes']}`}>
      {options.map((one) => (
        <Fragment key={one.option}>
          <dt title={one.option}>{optionTitle(item.path, one.option)}</dt>
          <dd>
            {sealed.has(one.option) && (
              <>
                <Mark tone="set">Secret</Mark>{' '}
              </>
            )}
            {state === 'removed' ? <del className="foreign">{one.before}</del> : <Value line={one} />}
          </dd>
        </Fragment>
      ))}
    </dl>
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
