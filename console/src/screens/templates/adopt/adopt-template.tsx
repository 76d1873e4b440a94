import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { countText } from '../../../api/amount-text.js';
import { api, type Schema } from '../../../api/client.js';
import { shellWord } from '../../../api/equivalents.js';
import { fieldError, selectorError } from '../../../api/problems.js';
import { Button } from '../../../ui/button.js';
import { SelectorChoice } from '../../../ui/devices/selector-choice.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { CheckField, SelectField, TextField } from '../../../ui/field.js';
import { missingText } from '../../../ui/leaving/missing-text.js';
import { useUnsaved } from '../../../ui/leaving/unsaved.js';
import { Failure, Loading, Notice } from '../../../ui/messages.js';
import { Card, Page } from '../../../ui/page.js';
import { To, useGo, useSearchText } from '../../../ui/to.js';
import { pathTitle } from '../../observed/path-words.js';
import { watchesQuery } from '../../observed/place.js';
import { isTemplatePath, templatePaths } from '../template-paths.js';
import styles from '../templates.module.css';
import { AdoptionFound } from './adoption-found.js';
import { UnreadDevices } from './unread-devices.js';

type Adoption = Schema<'TemplateAdoption'>;

/** A request names at most so many. */
const PATHS_MAX = 20;

interface Form {
  readonly name: string;
  /** For which devices it is. At first the same: all of them is a choice that a person makes. */
  readonly to: 'same' | 'all' | 'others';
  readonly selector: string;
  /** Whose configuration is taken. */
  readonly from: string;
  readonly paths: readonly string[];
}

const EMPTY: Form = { name: '', to: 'same', selector: '', from: '', paths: [] };

const TARGETS = [
  ['same', 'The same devices'],
  ['all', 'All devices'],
  ['others', 'Other devices'],
] as const;

function targetOf({ to, from, selector }: Form): string {
  if (to === 'same') return from.trim();
  return to === 'all' ? 'all' : selector.trim();
}

const missingOf = ({ name, from, paths }: Form, selector: string) => [
  name.trim() === '' && 'a name',
  from.trim() === '' && 'whose settings are copied',
  paths.length === 0 && 'a service',
  from.trim() !== '' && selector === '' && 'the devices of the template',
];

/** Makes a template of what some devices have: first what it would say, then the draft. A link may name the devices and the services. */
export function AdoptTemplate(): ReactNode {
  const go = useGo();
  const [{ from = '', paths = '' }] = useSearchText();
  const [first] = useState<Form>({ ...EMPTY, from, paths: paths.split(',').filter(isTemplatePath) });
  const [form, setForm] = useState(first);
  const [found, setFound] = useState<Adoption | null>(null);
  const change = (part: Partial<Form>) => {
    setForm({ ...form, ...part });
    setFound(null);
    look.reset();
  };
  useUnsaved(form !== first);
  const body = {
    name: form.name.trim(),
    selector: targetOf(form),
    from: form.from.trim(),
    paths: [...form.paths],
  };
  const send = (dryRun: boolean) => () => api.post('/v1/templates/adopt', { body: { ...body, dryRun } });
  const look = useAction({ run: send(true), done: 'Nothing is stored so far', after: setFound, quiet: true });
  const make = useAction({
    run: send(false),
    done: 'Draft made; no router was changed',
    refreshes: ['templates', 'devices', 'fields'],
    after: () => go(`/templates/${body.name}`, { tab: 'plan' }),
    quiet: true,
  });
  const error = make.error ?? look.error;
  const isComplete = body.name !== '' && body.from !== '' && body.selector !== '' && body.paths.length > 0;
  return (
    <Page title="Copy settings from routers">
      <div className="stack">
        <Card title="Copy the settings of">
          <div className="stack">
            <TextField
              label="Name"
              placeholder="base"
              autoFocus
              value={form.name}
              wrong={fieldError(error, 'name')}
              onChange={(event) => change({ name: event.target.value })}
            />
            <SelectorChoice
              hint="1 to 50 routers that are set up as they should be: tag:pump & site:vilnius/*"
              value={form.from}
              onValue={(from) => change({ from })}
            />
          </div>
        </Card>
        <Card title="Which services">
          <Paths chosen={form.paths} onChosen={(paths) => change({ paths })} />
        </Card>
        <Card title="Apply the template to">
          <div className="stack">
            <SelectField
              label="Devices of the template"
              value={form.to}
              options={TARGETS}
              onChange={(event) => change({ to: event.target.value as Form['to'] })}
            />
            {form.to === 'others' && (
              <SelectorChoice
                label="Which devices"
                value={form.selector}
                wrong={selectorError(error)}
                onValue={(selector) => change({ selector })}
              />
            )}
          </div>
        </Card>
        {found && <AdoptionFound adoption={found} />}
        {error ? <Failure error={error} /> : null}
        <UnreadDevices error={error} from={body.from} paths={form.paths} onFrom={(from) => change({ from })} />
        <div className="row">
          {found && found.items.length > 0 ? (
            <Button kind="primary" busy={make.isPending} onClick={() => make.mutate()}>
              Make the draft
            </Button>
          ) : (
            <Button kind="primary" busy={look.isPending} disabled={!isComplete} onClick={() => look.mutate()}>
              Preview the template
            </Button>
          )}
          <Button onClick={() => go('/templates')}>Cancel</Button>
          <span className="small quiet">
            {missingText(missingOf(form, body.selector)) ||
              'No router is read or changed: it is made of what watches have read.'}
          </span>
        </div>
        <EquivalentLines
          command={`template adopt ${body.name || 'NAME'} -l ${shellWord(body.selector || 'SELECTOR')} --from ${shellWord(body.from || 'SELECTOR')} --paths ${body.paths.join(',') || 'PATHS'}`}
          method="POST"
          path="/v1/templates/adopt"
          body={body}
        />
      </div>
    </Page>
  );
}

interface PathsProps {
  readonly chosen: readonly string[];
  readonly onChosen: (paths: readonly string[]) => void;
}

/** Those that a watch reads. */
function Paths({ chosen, onChosen }: PathsProps): ReactNode {
  const { data, error, refetch } = useQuery(watchesQuery);
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  const paths = templatePaths(data.items);
  if (paths.length === 0)
    return (
      <Notice>
        No watch reads a service that a template can name.
        <To to="/configuration" search={{ tab: 'watches' }}>
          Open the watches
        </To>
      </Notice>
    );
  return (
    <fieldset className={styles['services']}>
      <legend className="small quiet">
        {chosen.length === 0
          ? 'Choose at least one'
          : `${countText(chosen.length, 'service')}${chosen.length === PATHS_MAX ? ', as many as one template takes at once' : ''}`}
      </legend>
      {paths.map((path) => (
        <CheckField
          key={path}
          label={pathTitle(path)}
          title={path}
          checked={chosen.includes(path)}
          disabled={!chosen.includes(path) && chosen.length >= PATHS_MAX}
          onChange={({ target }) => onChosen(target.checked ? [...chosen, path] : chosen.filter((one) => one !== path))}
        />
      ))}
    </fieldset>
  );
}
