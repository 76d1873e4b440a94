import { type ReactNode, useState } from 'react';
import { countText, numberText } from '../../api/amount-text.js';
import { TextField } from '../../ui/field.js';
import { Card, Facts } from '../../ui/page.js';
import { ITEMS, type LiveReading } from './live-reading.js';
import { valueCount, valueGroups, valuesWith } from './scalars.js';
import styles from './status.module.css';

const VALUES_MAX = 200;

/** All that the device answered, and those of it that a person looks for. */
export function AllValues({ reading: { answers } }: { reading: LiveReading }): ReactNode {
  const [text, setText] = useState('');
  const parts = ITEMS.map(([item, , title, noun]) => {
    const groups = answers[item] === undefined ? null : valueGroups(answers[item], noun, VALUES_MAX);
    return { item, title, groups, found: groups && valuesWith(groups, text) };
  });
  const total = parts.reduce((sum, { groups }) => sum + valueCount(groups ?? []), 0);
  const found = parts.reduce((sum, one) => sum + valueCount(one.found ?? []), 0);
  const isFiltered = text.trim() !== '';
  const shown = parts.filter((one) => !isFiltered || valueCount(one.found ?? []) > 0);
  return (
    <details className={styles['all']}>
      <summary>
        All values <span className="small quiet">{numberText(total)}</span>
      </summary>
      <div className="stack">
        <div className={styles['find']}>
          <TextField
            label="Find a value"
            type="search"
            placeholder="Such as: firmware, or 192.168"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <span className="small quiet" role="status">
            {isFiltered && `${numberText(found)} of ${countText(total, 'value')}`}
          </span>
        </div>
        <div className="columns">
          {shown.map((one) => (
            <Card key={one.item} title={one.title}>
              {one.found === null ? (
                <p className="quiet">This device does not have it.</p>
              ) : (
                <div className="stack">
                  {one.found.map((group) => (
                    <section key={group.title}>
                      {group.title !== '' && <h3 className="foreign">{group.title}</h3>}
                      <Facts of={group.values} />
                    </section>
                  ))}
                </div>
              )}
            </Card>
          ))}
        </div>
        {shown.length === 0 && <p className="quiet">No value has these words, in its name or as it is.</p>}
      </div>
    </details>
  );
}
