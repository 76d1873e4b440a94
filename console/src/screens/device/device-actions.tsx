import { lazy, type ReactNode, Suspense } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { RowMenu } from '../../ui/row-menu.js';
import { useGo, useSearchText } from '../../ui/to.js';

/* The forms are a third of the scripts of this screen, and come when they are opened. */
const LockDevices = lazy(async () => ({ default: (await import('../devices/bulk-lock.js')).LockDevices }));
const StartJob = lazy(async () => ({ default: (await import('../jobs/start-job.js')).StartJob }));
const ActOnDevice = lazy(async () => ({ default: (await import('../jobs/acting/act-on-device.js')).ActOnDevice }));
const EditDevice = lazy(async () => ({ default: (await import('./edit-device.js')).EditDevice }));
const MuteForm = lazy(async () => ({ default: (await import('../monitoring/mute-form.js')).MuteForm }));
const ReplaceHardware = lazy(async () => ({ default: (await import('./replace-hardware.js')).ReplaceHardware }));

type Device = Schema<'Device'>;
type OpenDialog = 'job' | 'firmware' | 'reboot' | 'backup' | 'edit' | 'lock' | 'mute' | 'replace' | 'remove';

/** What a person can do with a device. The dialog that is open is in the address, so that the palette leads to it. */
export function DeviceActions({ device }: { device: Device }): ReactNode {
  const [{ act: open }, change] = useSearchText();
  const setOpen = (act: OpenDialog | undefined) => change({ act });
  const mayStart = useMay('job.start');
  const mayManage = useMay('device.manage');
  const mayLock = useMay('lock.manage');
  const mayMute = useMay('monitoring.manage');
  const close = () => setOpen(undefined);
  return (
    <>
      {mayStart && (
        <Button
          kind={device.state === 'trust_changed' ? 'plain' : 'primary'}
          icon="plus"
          onClick={() => setOpen('job')}
        >
          Start a job
        </Button>
      )}
      {mayManage && (
        <Button data-key="e" onClick={() => setOpen('edit')}>
          Edit
        </Button>
      )}
      <RowMenu
        of={device.name}
        actions={[
          ...(mayStart ? [{ text: 'Back up', onSelect: () => setOpen('backup') }] : []),
          ...(mayStart ? [{ text: 'Restart', onSelect: () => setOpen('reboot') }] : []),
          ...(mayLock ? [{ text: 'Lock', onSelect: () => setOpen('lock') }] : []),
          ...(mayMute ? [{ text: 'Mute', onSelect: () => setOpen('mute') }] : []),
          ...(mayManage ? [{ text: 'Replace hardware', onSelect: () => setOpen('replace') }] : []),
          ...(mayManage ? [{ text: 'Remove', onSelect: () => setOpen('remove'), isDanger: true }] : []),
        ]}
      />
      <Suspense>
        {mayStart && (open === 'job' || open === 'firmware') && (
          <StartJob device={device.name} {...(open === 'firmware' && { kind: open })} onClose={close} />
        )}
        {mayStart && (open === 'reboot' || open === 'backup') && (
          <ActOnDevice kind={open} deviceId={device.id} name={device.name} onClose={close} />
        )}
        {mayManage && open === 'edit' && <EditDevice device={device} onClose={close} />}
        {mayLock && open === 'lock' && <LockDevices selector={`id=${device.id}`} name={device.name} onClose={close} />}
        {mayMute && open === 'mute' && <MuteForm alert={null} of={`id:${device.id}`} onClose={close} />}
        {mayManage && open === 'replace' && <ReplaceHardware device={device} onClose={close} />}
      </Suspense>
      {mayManage && open === 'remove' && <RemoveDevice device={device} onClose={close} />}
    </>
  );
}

function RemoveDevice({ device: { id, name }, onClose }: { device: Device; onClose: () => void }): ReactNode {
  const go = useGo();
  const remove = useAction({
    run: () => api.delete('/v1/devices/{ref}', { params: { path: { ref: id } } }),
    done: `${name} is removed`,
    refreshes: ['devices'],
    after: () => go('/devices'),
  });
  return (
    <Confirm
      title={`Remove ${name}`}
      send="Remove device"
      typed={name}
      busy={remove.isPending}
      equivalent={{ command: `device remove id:${id}`, method: 'DELETE', path: `/v1/devices/${id}` }}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      The gateway forgets the device: its credentials, ended jobs, alerts and history. Its backups stay under “Backups”,
      and so do the entries of the audit. The router itself works as before.
    </Confirm>
  );
}
