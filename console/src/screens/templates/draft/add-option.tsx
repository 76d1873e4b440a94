import { type ReactNode, useState } from 'react';
import { wordsOfService } from '../../../../../src/device-api/words/dictionary.js';
import { Button } from '../../../ui/button.js';
import { SelectField, TextField } from '../../../ui/field.js';
import { serviceName } from '../../observed/path-words.js';
import { optionTitle } from '../item-words.js';
import styles from './draft.module.css';

interface AddOptionProps {
  readonly path: string;
  /** Of the item, for screen readers. */
  readonly title: string;
  /** Options that it has. */
  readonly taken: readonly string[];
  readonly onAdd: (name: string) => void;
}

const OTHER = '…';

/** One more setting of the item: of those that the dictionary has, or by the name that the device has for it. */
export function AddOption({ path, title, taken, onAdd }: AddOptionProps): ReactNode {
  const known = Object.keys(wordsOfService(serviceName(path)).options ?? {}).filter((name) => !taken.includes(name));
  const [isTyped, setTyped] = useState(false);
  const [name, setName] = useState('');
  const add = () => {
    onAdd(name.trim());
    setName('');
    setTyped(false);
  };
  if (!isTyped)
    return (
      <div className={styles['option']}>
        <SelectField
          label="One more setting"
          aria-label={`One more setting of ${title}`}
          value=""
          options={[
            ['', 'Choose …'],
            ...known.map((one) => [one, `${optionTitle(path, one)} (${one})`] as const),
            [OTHER, 'Another one, by its name on the device'],
          ]}
          onChange={({ target }) => (target.value === OTHER ? setTyped(true) : onAdd(target.value))}
        />
      </div>
    );
  return (
    <div className={styles['option']}>
      <TextField
        label="Its name on the device"
        aria-label={`Name of one more setting of ${title}`}
        placeholder="hostname"
        autoFocus
        spellCheck={false}
        value={name}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && name.trim() !== '') add();
        }}
      />
      <span className="row">
        <Button disabled={name.trim() === ''} aria-label={`Add the setting to ${title}`} onClick={add}>
          Add
        </Button>
        <Button kind="quiet" onClick={() => setTyped(false)}>
          Cancel
        </Button>
      </span>
    </div>
  );
}
