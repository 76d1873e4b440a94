import { type ReactNode } from 'react';
import { SelectField, TextField } from '../../../ui/field.js';
import { type Condition, firstOf, isNumber, MEASURES } from './conditions.js';
import styles from './rule.module.css';

interface ConditionFieldProps {
  /** null: none is chosen. */
  condition: Condition | null;
  /** The rule says more than a condition: it is edited as text. */
  isOther: boolean;
  onCondition: (condition: Condition | null) => void;
}

/** What a rule looks at: a value, a comparison, and a number with its unit. */
export function ConditionField({ condition, isOther, onCondition }: ConditionFieldProps): ReactNode {
  const number = condition?.measure.number;
  const change = (part: Partial<Condition>) => condition && onCondition({ ...condition, ...part });
  const none = isOther ? 'As the text below says' : 'Choose what is watched';
  return (
    <div className={styles['condition']}>
      <SelectField
        label="Opens when"
        value={condition?.measure.key ?? ''}
        options={[['', none], ...MEASURES.map(({ key, text }) => [key, text] as const)]}
        onChange={(event) => onCondition(firstOf(event.target.value))}
      />
      {condition && number && (
        <>
          <SelectField
            label="Comparison"
            value={condition.sign}
            options={number.signs}
            onChange={(event) => change({ sign: event.target.value as Condition['sign'] })}
          />
          <TextField
            label="Number"
            inputMode="decimal"
            wrong={isNumber(condition.number) ? null : 'A number'}
            value={condition.number}
            onChange={(event) => change({ number: event.target.value.trim().replace('−', '-') })}
          />
          <SelectField
            label="Unit"
            value={condition.unit}
            options={number.units}
            onChange={(event) => change({ unit: event.target.value })}
          />
        </>
      )}
    </div>
  );
}
