import { type ReactNode, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { readNumber } from '../../api/number-text.js';
import { LockReasons } from '../../ui/devices/lock-reasons.js';
import { exclusionText, usePreview } from '../../ui/devices/selection-preview.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { Failure, Notice } from '../../ui/messages.js';
import { Facts } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { DAYS, DaysField, reissueOf, specOf } from './reissue.js';
import { ActEffect } from '../jobs/acting/act-effect.js';
import { useStartJob } from '../jobs/use-start-job.js';

interface ReissueOneProps {
  certificate: Schema<'DeviceCertificate'>;
  onClose: () => void;
}

/** Issues one certificate of one device again, by a job. What would keep the device from it is said before. */
export function ReissueOne({ certificate, onClose }: ReissueOneProps): ReactNode {
  const { deviceId, deviceName, file, notAfter } = certificate;
  const [text, setText] = useState('365');
  const preview = usePreview(`id=${deviceId}`, 'job.start');
  const [kept] = preview.data?.excluded ?? [];
  const days = readNumber(text, DAYS);
  const { type, name } = reissueOf(certificate) ?? { type: 'server', name: '' };
  const body = { kind: 'certificates' as const, spec: specOf(type, name, days.value) };
  const start = useStartJob({ device: deviceId, body, refreshes: ['certificates'], onClose, quiet: true });
  return (
    <FormDialog
      title={`Reissue ${file} of ${deviceName}`}
      send="Reissue"
      busy={start.isPending}
      disabled={days.wrong !== null || kept !== undefined}
      onSend={() => start.mutate()}
      onClose={onClose}
    >
      {kept && (
        <Notice tone="warn">
          <span>
            It cannot be reissued now: {exclusionText(kept.reason, 1)}.
            {kept.reason === 'locked' && <LockReasons devices={[deviceId]} />}
          </span>
        </Notice>
      )}
      <Facts of={[['Ends now', <Ago key="end" at={notAfter} />]]} />
      <DaysField value={text} onValue={setText} />
      <ActEffect
        kind="certificates"
        does="The device makes a new key and certificate in place of this one"
        names={[deviceName]}
      />
      {(start.error ?? preview.error) ? <Failure error={start.error ?? preview.error} /> : null}
      <EquivalentLines
        command={['job start', `id:${deviceId}`, 'certificates -f reissue.yaml --watch'].join(' ')}
        method="POST"
        path={`/v1/devices/${deviceId}/jobs`}
        body={body}
      />
    </FormDialog>
  );
}
