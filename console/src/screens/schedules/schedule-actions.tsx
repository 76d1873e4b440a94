import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { sendUnchanged } from '../../api/changed-since.js';
import { api, type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { Confirm } from '../../ui/confirm.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { lockedIn, SelectionPreview, usePreview } from '../../ui/devices/selection-preview.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { useGo } from '../../ui/to.js';
import { ActEffect } from '../jobs/acting/act-effect.js';
import { effectOf, type Kind } from '../jobs/acting/effects.js';
import { SCHEDULE_ADDRESS, SCHEDULE_LABELS } from './schedule-address.js';
import { ScheduleForm } from './schedule-form.js';

type Schedule = Schema<'Schedule'>;

/** Run now, change, pause, remove. A schedule whose selector is not shown in full cannot be saved again. */
export function ScheduleActions({ schedule }: { schedule: Schedule }): ReactNode {
  const [open, setOpen] = useState<'run' | 'change' | 'remove' | null>(null);
  const may = useMay('rollout.manage');
  const { id, name, rollout, enabled } = schedule;
  const { selector } = rollout;
  const path = { scheduleId: id };
  const turn = useAction({
    run: async () => {
      const now = await api.answer('get', SCHEDULE_ADDRESS, { params: { path } });
      const body = againOf(schedule, selector ?? '', !enabled);
      return sendUnchanged(schedule, SCHEDULE_LABELS, now, (header) =>
        api.put(SCHEDULE_ADDRESS, { params: { path, header }, body }),
      );
    },
    done: enabled ? `${name} is paused` : `${name} runs again, in your name`,
    refreshes: ['schedules'],
  });
  if (!may) return null;
  return (
    <>
      <RowActions
        of={name}
        actions={[
          selector !== null && { text: 'Run now', label: `Run ${name} now`, onSelect: () => setOpen('run') },
          selector !== null && { text: 'Change', onSelect: () => setOpen('change') },
          selector !== null && {
            text: enabled ? 'Pause' : 'Resume',
            title: 'From now on it acts in your name',
            onSelect: () => turn.mutate(),
          },
          { text: 'Remove', isDanger: true, onSelect: () => setOpen('remove') },
        ]}
      />
      {open === 'run' && selector !== null && (
        <RunDialog schedule={schedule} selector={selector} onClose={() => setOpen(null)} />
      )}
      {open === 'change' && <ScheduleForm schedule={schedule} onClose={() => setOpen(null)} />}
      {open === 'remove' && <RemoveDialog schedule={schedule} onClose={() => setOpen(null)} />}
    </>
  );
}

/** The schedule as it is written, with another state. */
function againOf(schedule: Schedule, selector: string, enabled: boolean): Schema<'CreateSchedule'> {
  const { name, rhythm, rollout, missed } = schedule;
  return { name, rhythm, rollout: { ...rollout, selector }, missed, enabled };
}

interface DialogProps {
  schedule: Schedule;
  onClose: () => void;
}

function RunDialog({ schedule, selector, onClose }: DialogProps & { selector: string }): ReactNode {
  const go = useGo();
  const preview = usePreview(selector, 'job.start');
  const body = { ...schedule.rollout, selector, expectedDigest: preview.data?.digest ?? '' };
  const run = useAction({
    run: async () => {
      const made = (await api.post('/v1/rollouts', { body })) as Schema<'Rollout'>;
      return api.post('/v1/rollouts/{rolloutId}/start', { params: { path: { rolloutId: made.id } } });
    },
    done: 'Rollout started',
    refreshes: ['rollouts', 'schedules'],
    after: ({ id }) => {
      onClose();
      go(`/rollouts/${id}`);
    },
  });
  return (
    <FormDialog
      title={`Run ${schedule.name} now`}
      send="Run now"
      busy={run.isPending}
      disabled={!preview.data || preview.data.count + lockedIn(preview.data) === 0}
      onSend={() => run.mutate()}
      onClose={onClose}
    >
      <ActEffect
        kind={schedule.rollout.kind as Kind}
        does={`${effectOf(schedule.rollout.kind as Kind).does}, once and in your name; its next run stays as it is`}
      />
      <SelectionPreview preview={preview} locked="waitedFor" />
      <EquivalentLines command="rollout apply -f rollout.yaml --yes" method="POST" path="/v1/rollouts" body={body} />
    </FormDialog>
  );
}

function RemoveDialog({ schedule: { id, name }, onClose }: DialogProps): ReactNode {
  const remove = useAction({
    run: () => api.delete('/v1/schedules/{scheduleId}', { params: { path: { scheduleId: id } } }),
    done: 'Schedule removed',
    refreshes: ['schedules'],
    after: onClose,
  });
  return (
    <Confirm
      title={`Remove ${name}`}
      send="Remove schedule"
      typed={name}
      busy={remove.isPending}
      equivalent={{ command: `schedule remove ${id} --yes`, method: 'DELETE', path: `/v1/schedules/${id}` }}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      It starts no more rollouts. Those that it has started stay, and continue.
    </Confirm>
  );
}
