import { type ReactNode, useState } from 'react';
import { Button, IconButton } from '../../../ui/button.js';
import { SelectField, TextField } from '../../../ui/field.js';
import { pathTitle } from '../../observed/path-words.js';
import { keyText, MODES, optionTitle, sealedText } from '../item-words.js';
import styles from './draft.module.css';
import { type DraftItem, isRecordPath, textOf, valueOf } from './draft-items.js';

interface ItemFieldsProps {
  readonly item: DraftItem;
  readonly onItem: (item: DraftItem) => void;
  readonly onRemove: () => void;
}

/** One item: the section, the rule, and a field for each option. */
export function ItemFields({ item, onItem, onRemove }: ItemFieldsProps): ReactNode {
  const { path, key, mode, options, sealed } = item;
  const title = [pathTitle(path), keyText(path, key)].filter(Boolean).join(' › ');
  const without = (name: string) => Object.fromEntries(Object.entries(options).filter(([one]) => one !== name));
  return (
    <fieldset className={styles['item']}>
      <legend className="foreign" title={path}>
        {title}
      </legend>
      <div className={styles['head']}>
        {Object.entries(key).map(([field, value]) => (
          <TextField
            key={field}
            label={`Of the section with the ${optionTitle(path, field)}`}
            spellCheck={false}
            value={value}
            onChange={(event) => onItem({ ...item, key: { ...key, [field]: event.target.value } })}
          />
        ))}
        {!isRecordPath(path) && (
          <SelectField
            label="What is done with it"
            value={mode}
            options={Object.entries(MODES)}
            onChange={(event) => onItem(withMode(item, event.target.value as DraftItem['mode']))}
          />
        )}
        <Button icon="close" aria-label={`Remove the item ${title}`} onClick={onRemove}>
          Remove the item
        </Button>
      </div>
      {mode !== 'absent' && (
        <>
          {Object.entries(options).map(([name, value]) => (
            <div key={name} className={styles['option']}>
              <TextField
                label={optionTitle(path, name)}
                hint={Array.isArray(value) ? 'Several values, with commas between them' : undefined}
                spellCheck={false}
                value={textOf(value)}
                onChange={(event) =>
                  onItem({ ...item, options: { ...options, [name]: valueOf(event.target.value, value) } })
                }
              />
              <IconButton
                icon="close"
                label={`Leave out ${optionTitle(path, name)} of ${title}`}
                onClick={() => onItem({ ...item, options: without(name) })}
              />
            </div>
          ))}
          {sealed.map((one) => (
            <div key={one.option} className={styles['option']}>
              <TextField label={optionTitle(path, one.option)} value={sealedText(one)} readOnly />
              <IconButton
                icon="close"
                label={`Leave out ${optionTitle(path, one.option)} of ${title}`}
                onClick={() => onItem({ ...item, sealed: sealed.filter((other) => other !== one) })}
              />
            </div>
          ))}
          <AddOption title={title} onAdd={(name) => onItem({ ...item, options: { ...options, [name]: '' } })} />
        </>
      )}
    </fieldset>
  );
}

/** A section that is to go has no options. */
const withMode = (item: DraftItem, mode: DraftItem['mode']): DraftItem =>
  mode === 'absent' ? { ...item, mode, options: {}, sealed: [] } : { ...item, mode };

/** An option by the name that the device has for it. */
function AddOption({ title, onAdd }: { title: string; onAdd: (name: string) => void }): ReactNode {
  const [name, setName] = useState('');
  const add = () => {
    onAdd(name.trim());
    setName('');
  };
  return (
    <div className={styles['option']}>
      <TextField
        label="Another option"
        aria-label={`Another option of ${title}`}
        hint="By the name that the device has for it, such as hostname"
        spellCheck={false}
        value={name}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && name.trim() !== '') add();
        }}
      />
      <Button disabled={name.trim() === ''} aria-label={`Add the option to ${title}`} onClick={add}>
        Add
      </Button>
    </div>
  );
}
