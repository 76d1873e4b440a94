import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
  useState,
} from 'react';
import { Button } from './button.js';
import { typedTimeText } from './words/typed-time.js';

interface FieldLabels {
  label: ReactNode;
  hint?: ReactNode;
  /** What is wrong with the value; null when nothing is. */
  wrong?: string | null | undefined;
}

function Labelled({ label, hint, wrong, id, children }: FieldLabels & { id: string; children: ReactNode }): ReactNode {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children}
      <Note hint={hint} wrong={wrong} id={id} />
    </div>
  );
}

/** What is wrong, else the hint. */
function Note({ hint, wrong, id }: Omit<FieldLabels, 'label'> & { id: string }): ReactNode {
  if (!wrong && !hint) return null;
  const kind = wrong ? 'wrong' : 'hint';
  return (
    <span className={kind} id={`${id}-${kind}`}>
      {wrong || hint}
    </span>
  );
}

const describes = (id: string, { wrong, hint }: FieldLabels) => ({
  'aria-invalid': wrong ? true : undefined,
  'aria-describedby': wrong ? `${id}-wrong` : hint ? `${id}-hint` : undefined,
});

interface Within {
  /** A button at the end of the input. */
  within?: ReactNode;
}

export function TextField({
  label,
  hint,
  wrong,
  within,
  ...rest
}: FieldLabels & Within & InputHTMLAttributes<HTMLInputElement>): ReactNode {
  const id = useId();
  const input = <input id={id} className="input" {...describes(id, { label, hint, wrong })} {...rest} />;
  return (
    <Labelled label={label} hint={hint} wrong={wrong} id={id}>
      {within ? (
        <div className="within">
          {input}
          {within}
        </div>
      ) : (
        input
      )}
    </Labelled>
  );
}

interface TimeFieldProps
  extends Omit<FieldLabels, 'hint'>, Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'value'> {
  hint?: string | false | undefined;
  type: 'time' | 'datetime-local';
  value: string;
  /** Whose clock it is; absent: another field says it. */
  zone?: string | undefined;
}

/** A time, and below it the same with 24 hours and its zone. */
export function TimeField({ zone, hint, ...rest }: TimeFieldProps): ReactNode {
  const said = [typedTimeText(rest.value, zone), hint].filter(Boolean).join(' · ');
  return <TextField {...rest} hint={said} />;
}

/** A password, hidden until the person who types it wants to see it. */
export function PasswordField(props: FieldLabels & Omit<InputHTMLAttributes<HTMLInputElement>, 'type'>): ReactNode {
  const [isShown, setShown] = useState(false);
  const button = (
    <Button
      kind="quiet"
      aria-label={isShown ? 'Hide what is typed' : 'Show what is typed'}
      onClick={() => setShown(!isShown)}
    >
      {isShown ? 'Hide' : 'Show'}
    </Button>
  );
  return <TextField spellCheck={false} {...props} type={isShown ? 'text' : 'password'} within={button} />;
}

export function TextArea({
  label,
  hint,
  wrong,
  ...rest
}: FieldLabels & TextareaHTMLAttributes<HTMLTextAreaElement>): ReactNode {
  const id = useId();
  return (
    <Labelled label={label} hint={hint} wrong={wrong} id={id}>
      <textarea id={id} className="input" spellCheck={false} {...describes(id, { label, hint, wrong })} {...rest} />
    </Labelled>
  );
}

interface Choices {
  /** Pairs of value and text. */
  options?: readonly (readonly [value: string, text: string])[];
  /** Further ones below titles. */
  groups?: readonly (readonly [title: string, options: readonly (readonly [value: string, text: string])[]])[];
}

export function SelectField({
  label,
  hint,
  wrong,
  options = [],
  groups = [],
  ...rest
}: FieldLabels & Choices & SelectHTMLAttributes<HTMLSelectElement>): ReactNode {
  const id = useId();
  return (
    <Labelled label={label} hint={hint} wrong={wrong} id={id}>
      <select id={id} className="input" {...describes(id, { label, hint, wrong })} {...rest}>
        <Options of={options} />
        {groups.map(([title, of]) => (
          <optgroup key={title} label={title}>
            <Options of={of} />
          </optgroup>
        ))}
      </select>
    </Labelled>
  );
}

const Options = ({ of }: { of: NonNullable<Choices['options']> }): ReactNode =>
  of.map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  ));

/** A setting that is on or off, as it is now: nothing is sent before it is saved. */
export function SwitchField({
  label,
  hint,
  wrong,
  ...rest
}: FieldLabels & InputHTMLAttributes<HTMLInputElement>): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label className="switch">
        <input
          type="checkbox"
          role="switch"
          aria-checked={rest.checked}
          {...describes(id, { label, hint, wrong })}
          {...rest}
        />
        <span>{label}</span>
      </label>
      <Note hint={hint} wrong={wrong} id={id} />
    </div>
  );
}

export function CheckField({
  label,
  ...rest
}: { label: ReactNode } & InputHTMLAttributes<HTMLInputElement>): ReactNode {
  return (
    <label className="check">
      <input type="checkbox" {...rest} />
      {label}
    </label>
  );
}
