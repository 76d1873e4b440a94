import { type ReactNode } from 'react';
import { Button, IconButton } from '../../../ui/button.js';
import { SelectField, TextField } from '../../../ui/field.js';
import { OptionTitle } from '../../device-configuration/option-field.js';
import { sectionTitle, serviceName } from '../../observed/path-words.js';
import { MODES, optionTitle, sealedText, titleOf } from '../item-words.js';
import { AddOption } from './add-option.js';
import styles from './draft.module.css';
import { type DraftItem, isRecordPath } from './draft-items.js';
import { ItemValue } from './item-value.js';

interface ItemFieldsProps {
  readonly item: DraftItem;
  readonly onItem: (item: DraftItem) => void;
  readonly onRemove: () => void;
}

/** One item: the section, the rule, and a field for each setting. */
export function ItemFields({ item, onItem, onRemove }: ItemFieldsProps): ReactNode {
  const { path, key, mode, options, sealed } = item;
  const title = titleOf(item);
  const without = (name: string) => Object.fromEntries(Object.entries(options).filter(([other]) => other !== name));
  return (
    <fieldset className={styles['item']}>
      <legend className="foreign" title={path}>
        {title}
      </legend>
      <div className={styles['head']}>
        {Object.entries(key).map(([field, value]) => (
          <TextField
            key={field}
            label={keyLabel(path, field)}
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
        <Button icon="close" aria-label={`Remove ${title} from the template`} onClick={onRemove}>
          Remove
        </Button>
      </div>
      {mode !== 'absent' && (
        <>
          {Object.entries(options).map(([name, value]) => (
            <div key={name} className={styles['option']}>
              <ItemValue
                path={path}
                option={name}
                value={value}
                onValue={(changed) => onItem({ ...item, options: { ...options, [name]: changed } })}
              />
              <IconButton
                icon="close"
                label={`Leave out ${optionTitle(path, name)} of ${title}`}
                onClick={() => onItem({ ...item, options: without(name) })}
              />
            </div>
          ))}
          {sealed.map((secret) => (
            <div key={secret.option} className={styles['option']}>
              <TextField
                label={<OptionTitle title={optionTitle(path, secret.option)} name={secret.option} />}
                value={sealedText(secret)}
                readOnly
              />
              <IconButton
                icon="close"
                label={`Leave out ${optionTitle(path, secret.option)} of ${title}`}
                onClick={() => onItem({ ...item, sealed: sealed.filter((other) => other !== secret) })}
              />
            </div>
          ))}
          <AddOption
            path={path}
            title={title}
            taken={[...Object.keys(options), ...Object.keys(key), ...sealed.map(({ option }) => option)]}
            onAdd={(name) => onItem({ ...item, options: { ...options, [name]: '' } })}
          />
        </>
      )}
    </fieldset>
  );
}

/** Such as `Server: 1 for the first in the list, or its id`. */
const keyLabel = (path: string, field: string): string =>
  `${sectionTitle(serviceName(path))}: ${field === 'id' ? '1 for the first in the list, or its id' : optionTitle(path, field).toLowerCase()}`;

/** A section that is to go has no options. */
const withMode = (item: DraftItem, mode: DraftItem['mode']): DraftItem =>
  mode === 'absent' ? { ...item, mode, options: {}, sealed: [] } : { ...item, mode };
