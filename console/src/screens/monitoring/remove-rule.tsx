import { type ReactNode } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { Confirm } from '../../ui/confirm.js';

export function RemoveRule({ rule, onClose }: { rule: Schema<'AlertRule'>; onClose: () => void }): ReactNode {
  const { id, name, open } = rule;
  const remove = useAction({
    run: () => api.delete('/v1/monitoring/rules/{ruleId}', { params: { path: { ruleId: id } } }),
    done: 'Rule removed',
    refreshes: ['alert-rules', 'alerts'],
    after: onClose,
  });
  return (
    <Confirm
      title="Remove this rule"
      send="Remove"
      typed={name}
      busy={remove.isPending}
      equivalent={{ command: `rule remove ${id} --yes`, method: 'DELETE', path: `/v1/monitoring/rules/${id}` }}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      Its alerts go with it{open > 0 && `, ${open.toLocaleString('en')} of them open`}. To keep them, turn the rule off.
    </Confirm>
  );
}
