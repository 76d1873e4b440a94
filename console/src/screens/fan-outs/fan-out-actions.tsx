import { type ReactNode, useState } from 'react';
import { countText, pluralText } from '../../api/amount-text.js';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { gatewayUrl } from '../../api/own-path.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { To } from '../../ui/to.js';
import { againSearch } from './requests.js';

type FanOut = Schema<'StoredFanOut'>;

/** The same question again, its link, and its end before its time. */
export function FanOutActions({ fanOut }: { fanOut: FanOut }): ReactNode {
  const [isStopping, setStopping] = useState(false);
  const again = againSearch(fanOut);
  return (
    <>
      {again && fanOut.state !== 'running' && (
        <To to="/fan-outs/new" search={again} className="button">
          Ask again
        </To>
      )}
      <CopyLink id={fanOut.id} />
      {fanOut.state === 'running' && (
        <Button kind="danger" onClick={() => setStopping(true)}>
          Stop
        </Button>
      )}
      {isStopping && <StopDialog fanOut={fanOut} onClose={() => setStopping(false)} />}
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
      title="Stop the bulk query"
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
