import { type ReactNode, useState } from 'react';
import { countText, pluralText } from '../../api/amount-text.js';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { gatewayUrl } from '../../api/own-path.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { CheckField } from '../../ui/field.js';
import { Failure, Notice } from '../../ui/messages.js';
import { useGo } from '../../ui/to.js';
import { OUTCOMES, requestText } from './requests.js';

type FanOut = Schema<'StoredFanOut'>;

const AGAIN = ['failed', 'unreachable', 'skipped', 'unknown'] as const;

/** Its link, another call to those that did not succeed, and its end before its time. */
export function FanOutActions({ fanOut }: { fanOut: FanOut }): ReactNode {
  const [open, setOpen] = useState<'retry' | 'stop' | null>(null);
  const close = () => setOpen(null);
  const canRetry = fanOut.state !== 'running' && AGAIN.some((outcome) => (fanOut.counts[outcome] ?? 0) > 0);
  return (
    <>
      <CopyLink id={fanOut.id} />
      {fanOut.state === 'running' && (
        <Button kind="danger" onClick={() => setOpen('stop')}>
          Stop
        </Button>
      )}
      {canRetry && (
        <Button icon="refresh" onClick={() => setOpen('retry')}>
          Retry
        </Button>
      )}
      {open === 'retry' && <RetryDialog fanOut={fanOut} onClose={close} />}
      {open === 'stop' && <StopDialog fanOut={fanOut} onClose={close} />}
    </>
  );
}

/** Copies the link; its readers see the same fan-out, as far as their rights go. */
function CopyLink({ id }: { id: string }): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const copy = () =>
    void navigator.clipboard.writeText(`${gatewayUrl()}/console/fan-outs/${id}`).then(() => setCopied(true));
  return (
    <Button icon="copy" onClick={copy}>
      <span role="status">{isCopied ? 'Link copied' : 'Copy the link'}</span>
    </Button>
  );
}

function StopDialog({ fanOut: { id, waiting }, onClose }: { fanOut: FanOut; onClose: () => void }): ReactNode {
  const cancel = useAction({
    run: () => api.post('/v1/fan-outs/{fanOutId}/cancel', { params: { path: { fanOutId: id } } }),
    done: 'No more calls start; those in progress finish',
    refreshes: ['fan-outs', 'fan-out'],
    after: onClose,
  });
  return (
    <Confirm
      title="Stop the calls"
      send="Stop"
      busy={cancel.isPending}
      equivalent={{ command: `fan-outs cancel ${id} --yes`, method: 'POST', path: `/v1/fan-outs/${id}/cancel` }}
      onConfirm={() => cancel.mutate()}
      onClose={onClose}
    >
      {countText(waiting, 'device')} {pluralText(waiting, 'has', 'have')} no outcome yet. Those that were not called are
      skipped; calls in progress finish.
    </Confirm>
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
      title="Call devices again"
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
