import { type ReactNode } from 'react';
import { SelectField, TextArea, TextField } from '../../ui/field.js';
import { useSearchText } from '../../ui/to.js';
import css from './device-api.module.css';
import { type Method, METHODS, type Operation, type Option } from './operation.js';
import { placeholders } from './paths.js';

interface MethodAndPathProps {
  method: Method;
  path: string;
  hint?: string | undefined;
}

/** Any call of a device; it stands in the address. */
export function MethodAndPath({ method, path, hint }: MethodAndPathProps): ReactNode {
  const [, change] = useSearchText();
  return (
    <div className={css.requestFields}>
      <SelectField
        label="Method"
        value={method}
        options={METHODS.map((one) => [one, one] as const)}
        onChange={(event) => change({ method: event.target.value })}
      />
      <TextField
        label="Path on the device"
        className="input mono"
        placeholder="/api/system/device/status"
        hint={hint}
        wrong={path === '' || path.startsWith('/api/') ? null : 'A path of the device begins with /api/.'}
        spellCheck={false}
        autoComplete="off"
        value={path}
        onChange={(event) => change({ path: event.target.value || undefined })}
      />
    </div>
  );
}

/** Method, path and the values of its placeholders. */
export function RequestFields({
  method,
  path,
  operation,
}: {
  method: Method;
  path: string;
  operation: Operation | undefined;
}): ReactNode {
  const [search, change] = useSearchText();
  const query = operation?.query ?? [];
  return (
    <>
      <MethodAndPath
        method={method}
        path={path}
        hint={query.length > 0 ? `Takes ?${query.join('=…&')}=…` : operation?.summary}
      />
      {[...new Set(placeholders(path))].map((name) => (
        <TextField
          key={name}
          label={`Value of {${name}}`}
          value={search[`arg.${name}`] ?? ''}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => change({ [`arg.${name}`]: event.target.value || undefined })}
        />
      ))}
    </>
  );
}

/** The options that a body may have. */
function OptionHints({ options }: { options: readonly Option[] }): ReactNode {
  if (options.length === 0) return null;
  return (
    <details className="equivalent">
      <summary className="small quiet">{options.length} options that the body may have</summary>
      <dl className="facts small">
        {options.map(({ name, values, type, isList, preset }) => [
          <dt key={name} className="foreign">
            <code>{name}</code>
          </dt>,
          <dd key={`${name}-value`} className="foreign">
            {isList && 'list of '}
            {values ? values.join(' | ') : (type ?? 'text')}
            {preset !== null && `, otherwise ${preset}`}
          </dd>,
        ])}
      </dl>
    </details>
  );
}

interface BodyFieldsProps {
  body: string;
  wrong: string | null;
  reason: string;
  operation: Operation | undefined;
  onBody: (text: string) => void;
  onReason: (text: string) => void;
}

/** The body, the options that it may have, and the reason for the audit log. */
export function BodyFields({ body, wrong, reason, operation, onBody, onReason }: BodyFieldsProps): ReactNode {
  return (
    <>
      <TextArea
        label="Body as JSON"
        hint="Options are texts: numbers in quotes, too"
        placeholder='{"data": {}}'
        wrong={wrong}
        value={body}
        onChange={(event) => onBody(event.target.value)}
      />
      <OptionHints options={operation?.options ?? []} />
      <TextField
        label="Reason"
        hint="For the audit log; some gateways require it"
        value={reason}
        onChange={(event) => onReason(event.target.value)}
      />
    </>
  );
}

/** A body with what an operation requires. Options of a device are texts, numbers too. */
export function bodyFor(operation: Operation | undefined): string {
  if (!operation?.options) return '';
  const required = operation.options.filter(({ isRequired }) => isRequired);
  const data = Object.fromEntries(
    required.map(({ name, values, isList }) => [name, isList ? [] : (values?.[0] ?? '')]),
  );
  return JSON.stringify({ data }, null, 2);
}
