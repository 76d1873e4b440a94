import { type ReactNode } from 'react';
import { useAction } from '../../api/action.js';
import { sendUnchanged } from '../../api/changed-since.js';
import { api, type Schema } from '../../api/client.js';
import { Confirm } from '../../ui/confirm.js';

type Policy = Schema<'BackupPolicy'>;

export const POLICY_ADDRESS = '/v1/backups/policies/{policyId}';
export const POLICY_LABELS = {
  name: 'Name',
  selector: 'Selector',
  rhythm: 'Rhythm',
  keepCount: 'Backups per device, at most',
  keepDays: 'None older than, days',
  onlyChanges: 'Only changes',
  enabled: 'Enabled',
};

/** Switches a policy off and on; from then on it acts in the name of the caller. */
export function useSwitch(policy: Policy) {
  const { id, name, selector, rhythm, keepCount, keepDays, onlyChanges, enabled } = policy;
  const path = { policyId: id };
  const body = { name, selector: selector ?? '', rhythm, keepCount, keepDays, onlyChanges, enabled: !enabled };
  return useAction({
    run: async () => {
      const now = await api.answer('get', POLICY_ADDRESS, { params: { path } });
      return sendUnchanged(policy, POLICY_LABELS, now, (header) =>
        api.put(POLICY_ADDRESS, { params: { path, header }, body }),
      );
    },
    done: enabled ? 'The policy is off' : 'The policy is on, in your name',
    refreshes: ['backups'],
  });
}

export function RemovePolicy({ policy: { id, name }, onClose }: { policy: Policy; onClose: () => void }): ReactNode {
  const remove = useAction({
    run: () => api.delete('/v1/backups/policies/{policyId}', { params: { path: { policyId: id } } }),
    done: 'Policy removed',
    refreshes: ['backups'],
    after: onClose,
  });
  return (
    <Confirm
      title="Remove this policy"
      send="Remove"
      typed={name}
      busy={remove.isPending}
      equivalent={{
        command: `backup-policy remove ${id} --yes`,
        method: 'DELETE',
        path: `/v1/backups/policies/${id}`,
      }}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      Its devices are not backed up any more. Backups that it made stay, and are no longer removed by age or number.
    </Confirm>
  );
}
