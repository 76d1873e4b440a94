import { useQuery } from '@tanstack/react-query';
import { type ChangeEvent, type ReactNode, useId } from 'react';
import { countText } from '../../api/amount-text.js';
import { useMay } from '../../api/may.js';
import { deviceQuery } from '../../api/queries.js';
import { SelectField, TextField } from '../../ui/field.js';
import { documentQuery } from '../device-api/document.js';
import { type Operation } from '../device-api/operation.js';
import { ofDeviceQuery, templatesQuery } from '../templates/template-queries.js';
import { type Spec } from './fields.js';
import { useScene } from './form-scene.js';
import { Suggestions } from './suggestions.js';

/* Texts of a job that the gateway or the device knows: chosen, not typed. */

interface KnownProps {
  readonly label: string;
  readonly hint: string | undefined;
  readonly wrong: string | null;
  readonly example: string | undefined;
  readonly value: string;
  readonly set: (value: string) => void;
}

/** A name that the browser neither corrects nor completes. */
const typed = ({ example, value, set }: Pick<KnownProps, 'example' | 'value' | 'set'>) => ({
  placeholder: example,
  spellCheck: false,
  autoComplete: 'off',
  value,
  onChange: ({ target }: ChangeEvent<HTMLInputElement>) => set(target.value),
});

/** One of the published templates; on one device with what differs there. Typed where they may not be read. */
export function TemplateField({ example, value, set, ...labels }: KnownProps): ReactNode {
  const { device, isFixed } = useScene();
  const mayRead = useMay('template.read');
  const { data, error } = useQuery({ ...templatesQuery, enabled: mayRead });
  const { data: own } = useQuery({ ...ofDeviceQuery(device ?? ''), enabled: mayRead && isFixed && device !== null });
  if (!mayRead || error) return <TextField {...labels} {...typed({ example, value, set })} />;
  const published = (data?.items ?? []).filter(({ publishedNumber }) => publishedNumber !== null);
  const names = [...new Set([...published.map(({ name }) => name), value])].filter(Boolean);
  const about = (name: string) => {
    const state = own?.items.find(({ template }) => template === name);
    if (!own) return '';
    if (!state) return ' – does not reach this router';
    const count = state.differences.length + state.moreDifferences;
    if (state.state === 'in_sync') return ' – this router is set to it';
    return count > 0 ? ` – this router differs in ${countText(count, 'setting')}` : '';
  };
  return (
    <SelectField
      {...labels}
      hint={data && published.length === 0 ? 'No template is published yet.' : undefined}
      value={value}
      options={[['', 'Choose …'], ...names.map((name) => [name, name + about(name)] as const)]}
      onChange={({ target }) => set(target.value)}
    />
  );
}

/** Other kinds of jobs send these files, with their checks. */
const OF_OTHER_JOBS = /^\/api\/(?:firmware|backup)\//;

/** Which calls of a device a field takes. */
const TAKEN = {
  operations: ({ method, takesFile }, spec) => method === spec['method'] && !takesFile,
  uploads: ({ path, takesFile }) => takesFile && !OF_OTHER_JOBS.test(path),
  sections: ({ method, path, takesFile }) => method === 'PUT' && !takesFile && path.includes('/config'),
} satisfies Readonly<Record<string, (operation: Operation, spec: Spec) => boolean>>;

interface OperationProps extends KnownProps {
  readonly from: keyof typeof TAKEN;
  readonly spec: Spec;
}

/** A path on the device: where the device is known, those that it has for the purpose, found by their words. */
export function OperationField({ example, value, set, from, spec, ...labels }: OperationProps): ReactNode {
  const { device } = useScene();
  const id = useId();
  const { data: on } = useQuery({ ...deviceQuery(device ?? ''), enabled: device !== null, retry: false });
  const isAsked = on?.state === 'online'; // another one is not asked: the job may wait for it
  const { data } = useQuery({ ...documentQuery(device ?? ''), enabled: isAsked, retry: false });
  const known = (data ?? []).filter((operation) => TAKEN[from](operation, spec));
  const summaries = new Map(known.map(({ path, summary }) => [path, summary]));
  return (
    <>
      <TextField {...labels} {...typed({ example, value, set })} list={id} />
      <Suggestions id={id} of={[...summaries.keys()]} titleOf={(path) => summaries.get(path) || path} />
    </>
  );
}
