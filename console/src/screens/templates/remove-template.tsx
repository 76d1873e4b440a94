import { type ReactNode } from 'react';
import { useAction } from '../../api/action.js';
import { countText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { Confirm } from '../../ui/confirm.js';
import { useGo } from '../../ui/to.js';
import { countOf } from './sync-words.js';

/** Removes a template with its versions, after its name was typed. */
export function RemoveTemplate({
  template: { name, sync },
  onClose,
}: {
  template: Schema<'Template'>;
  onClose: () => void;
}): ReactNode {
  const go = useGo();
  const path = { templateName: name };
  const remove = useAction({
    run: async () => {
      const { headers } = await api.answer('get', '/v1/templates/{templateName}', { params: { path } });
      const header = { 'If-Match': headers.get('etag') ?? '*' };
      return api.delete('/v1/templates/{templateName}', { params: { path, header } });
    },
    done: 'Template removed; the devices keep what they have',
    refreshes: [],
    after: () => {
      onClose();
      go('/templates');
    },
  });
  return (
    <Confirm
      title={`Remove ${name}`}
      send="Remove"
      typed={name}
      busy={remove.isPending}
      equivalent={{ command: `template remove ${name} --yes`, method: 'DELETE', path: `/v1/templates/${name}` }}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      It is removed with all its versions. No router changes: {countText(countOf(sync), 'device')} keep what they have,
      and are compared with it no more. Schedules that set devices to it will fail.
    </Confirm>
  );
}
