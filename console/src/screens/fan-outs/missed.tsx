import { type ReactNode, useState } from 'react';
import { countText, numberText } from '../../api/amount-text.js';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { CheckField } from '../../ui/field.js';
import { Failure, Notice } from '../../ui/messages.js';
import { To, useGo } from '../../ui/to.js';
import { OutcomeMark } from './outcome-mark.js';
import { CAUSES_SHOWN, OUTCOMES, requestText, whyText } from './requests.js';
import styles from './fan-outs.module.css';

type FanOut = Schema<'StoredFanOut'>;

const AGAIN = ['failed', 'unreachable', 'skipped', 'unknown'] as const;

/** Devices without success in one line: how many and why, with another call to them. */
export function Missed({ fanOut }: { fanOut: FanOut }): ReactNode {
  const [isRetry, setRetry] = useState(false);
  const missed = fanOut.groups.filter(({ outcome }) => outcome !== 'succeeded');
  const canRetry = fanOut.state !== 'running' && AGAIN.some((outcome) => (fanOut.counts[outcome] ?? 0) > 0);
  if (!canRetry) return null;
  return (
    <div className={styles['missed']}>
      {missed.slice(0, CAUSES_SHOWN).map(({ outcome, reason, status, devices, sample }) => (
        <span key={`${outcome} ${reason} ${sample.id}`} className="row foreign">
          <OutcomeMark outcome={outcome} />
          <To to="." search={{ view: 'outcomes', outcome, ...(reason ? { reason } : {}) }}>
            {devices === 1 ? sample.name : `${sample.name} and ${numberText(devices - 1)} more`}
          </To>
          <span className="quiet">
            {reason === 'device_refused' && status === 404
              ? 'no such call on this model or firmware; asked again, it fails in the same way'
              : whyText(reason)}
          </span>
        </span>
      ))}
      {missed.length > CAUSES_SHOWN && (
        <To to="." search={{ view: 'outcomes' }}>
          {countText(missed.length - CAUSES_SHOWN, 'more cause')}
        </To>
      )}
      <Button icon="refresh" onClick={() => setRetry(true)}>
        Retry
      </Button>
      {isRetry && <RetryDialog fanOut={fanOut} onClose={() => setRetry(false)} />}
    </div>
  );
}

function RetryDialog({ fanOut, onClose }: { fanOut: FanOut; onClose: () => void }): ReactNode {
  const go = useGo();
  const present = AGAIN.filter((outcome) => (fanOut.counts[outcome] ?? 0) > 0);
  const [chosen, setChosen] = useState<readonly (typeof AGAIN)[number][]>(present.filter((one) => one !== 'unknown'));
  const [repeatUnknown, setRepeatUnknown] = useState(false);
  const body = { outcomes: [...chosen], repeatUnknown };
  const retry = useAction({
    run: () => api.post('/v1/fan-outs/{fanOutId}/retry', { params: { path: { fanOutId: fanOut.id } }, body }),
    done: 'The calls have begun again',
    refreshes: ['fan-outs'],
    after: ({ id }) => {
      onClose();
      go(`/fan-outs/${id}`);
    },
    quiet: true,
  });
  const titleOf = (outcome: string) => OUTCOMES.find(([name]) => name === outcome)?.[2] ?? outcome;
  return (
    <FormDialog
      title="Send the bulk query again"
      send="Send again"
      busy={retry.isPending}
      disabled={chosen.length === 0}
      onSend={() => retry.mutate()}
      onClose={onClose}
    >
      <p className="foreign">
        <code>{requestText(fanOut.requests)}</code>
      </p>
      {present.map((outcome) => (
        <CheckField
          key={outcome}
          label={`${titleOf(outcome)}: ${countText(fanOut.counts[outcome] ?? 0, 'device')}`}
          checked={chosen.includes(outcome)}
          onChange={() => setChosen(AGAIN.filter((one) => chosen.includes(one) !== (one === outcome)))}
        />
      ))}
      {fanOut.writes && (
        <Notice tone="warn">
          <span>It writes. Devices that may have executed it are left out, unless you choose otherwise.</span>
          <CheckField
            label="Write again to devices that may have executed it"
            checked={repeatUnknown}
            onChange={(event) => setRepeatUnknown(event.target.checked)}
          />
        </Notice>
      )}
      {retry.error ? <Failure error={retry.error} /> : null}
      <EquivalentLines
        command={`fan-outs retry ${fanOut.id} --outcomes ${chosen.join(',')} --yes`}
        method="POST"
        path={`/v1/fan-outs/${fanOut.id}/retry`}
        body={body}
      />
    </FormDialog>
  );
}
