import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { api, type Schema } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { fieldError } from '../../../api/problems.js';
import { useUnchanged } from '../../../api/use-unchanged.js';
import { Button } from '../../../ui/button.js';
import { SelectorChoice } from '../../../ui/devices/selector-choice.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { TextArea, TextField } from '../../../ui/field.js';
import { missingText } from '../../../ui/leaving/missing-text.js';
import { useUnsaved } from '../../../ui/leaving/unsaved.js';
import { Failure, Notice } from '../../../ui/messages.js';
import { Card } from '../../../ui/page.js';
import { useGo } from '../../../ui/to.js';
import { type DraftItem, readItems, textOfItems } from './draft-items.js';
import { ItemList } from './item-list.js';

type Template = Schema<'Template'>;

const LABELS = { selector: 'Devices', items: 'What it says' };

/** Makes a template or changes its draft. @param template null: a new one */
export function DraftForm({ template }: { template: Template | null }): ReactNode {
  const [opened] = useState(() => ({
    name: template?.name ?? '',
    selector: template?.selector ?? '',
    items: (template?.items ?? []) as readonly DraftItem[],
  }));
  const [form, setForm] = useState(opened);
  /** null: it is edited by fields. */
  const [json, setJson] = useState<string | null>(null);
  const read = json === null ? { items: form.items, problem: null } : readItems(json);
  const body = { name: form.name.trim(), selector: form.selector.trim(), items: [...(read.items ?? [])] };
  const isChanged = json === null || read.items ? JSON.stringify(body) !== JSON.stringify(opened) : true;
  useUnsaved(isChanged);
  const save = useSave(template, body);
  const go = useGo();
  const isComplete = body.name !== '' && body.selector !== '' && read.items !== null && body.items.length > 0;
  const byFields = () => {
    setForm({ ...form, items: read.items ?? [] });
    setJson(null);
  };
  return (
    <div className="stack">
      {template !== null && template.selector === null && <HiddenSelector />}
      <Card title={template === null ? 'Name and devices' : 'Devices'}>
        <div className="stack">
          {template === null && (
            <TextField
              label="Name"
              placeholder="base"
              autoFocus
              value={form.name}
              wrong={fieldError(save.error, 'name')}
              onChange={(event) => setForm({ ...form, name: event.target.value })}
            />
          )}
          <SelectorChoice value={form.selector} onValue={(selector) => setForm({ ...form, selector })} />
        </div>
      </Card>
      <Card
        title="What they should be set to"
        actions={
          json === null ? (
            <Button onClick={() => setJson(textOfItems(form.items))}>Edit as JSON</Button>
          ) : (
            <Button disabled={read.items === null} onClick={byFields}>
              Edit by fields
            </Button>
          )
        }
      >
        {json === null ? (
          <ItemList items={form.items} selector={body.selector} onItems={(items) => setForm({ ...form, items })} />
        ) : (
          <TextArea
            label="Items as JSON"
            rows={16}
            value={json}
            wrong={read.problem}
            onChange={(event) => setJson(event.target.value)}
          />
        )}
      </Card>
      {save.error ? <Failure error={save.error} /> : null}
      <div className="row">
        <Button kind="primary" busy={save.isPending} disabled={!isComplete || !isChanged} onClick={() => save.mutate()}>
          {template === null ? 'Make the draft' : 'Save the draft'}
        </Button>
        <Button onClick={() => (template ? go(`/templates/${template.name}`, { tab: 'draft' }) : go('/templates'))}>
          Cancel
        </Button>
        <span className="small quiet">
          {missingText(missingOf(body)) ||
            (isChanged ? 'Saving changes no router; what is published stays in force.' : 'Nothing is changed yet.')}
        </span>
      </div>
      <EquivalentLines
        command={
          template === null
            ? `template add ${body.name || 'NAME'} -f template.yaml`
            : `template replace ${template.name} -f template.yaml`
        }
        method={template === null ? 'POST' : 'PUT'}
        path={`/v1/templates${template === null ? '' : `/${template.name}`}`}
        body={body}
      />
    </div>
  );
}

const missingOf = ({ name, selector, items }: Schema<'SaveTemplate'>) => [
  name === '' && 'a name',
  selector === '' && 'devices',
  items.length === 0 && 'a setting',
];

const HiddenSelector = (): ReactNode => (
  <Notice tone="warn">
    You may see only some devices of this template, so its selector is not shown to you. A draft that you save needs
    another one.
  </Notice>
);

function useSave(template: Template | null, body: Schema<'SaveTemplate'>) {
  const go = useGo();
  const address = '/v1/templates/{templateName}';
  const path = { templateName: template?.name ?? '' };
  const client = useQueryClient();
  const send = useUnchanged(template, LABELS, async () => {
    const now = await api.answer('get', address, { params: { path } });
    client.setQueryData(KEYS.templates.one(path.templateName), now.body);
    return now;
  });
  return useAction({
    run: () =>
      template
        ? send((header) => api.put(address, { params: { path, header }, body }))
        : api.post('/v1/templates', { body }),
    done: template ? 'Draft saved; what is published stays in force' : 'Draft made; nothing is published',
    refreshes: ['templates'],
    after: ({ name }) => go(`/templates/${name}`, { tab: 'draft' }),
    quiet: true,
  });
}
