import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef } from 'react';
import { bytesText, countText } from '../../../api/amount-text.js';
import { api, type Schema } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { IconButton } from '../../../ui/button.js';
import { Failure, Loading } from '../../../ui/messages.js';
import { To, useSearchText } from '../../../ui/to.js';
import { type AnsweredDevice, usualValues } from './answer-fields.js';
import { sortedAnswers } from './answer-order.js';
import { AnswerView } from './answer-view.js';
import styles from './answers.module.css';
import { useAnswers } from './use-answers.js';

type FanOut = Pick<Schema<'StoredFanOut'>, 'id' | 'selector' | 'state'>;

/** One answer beside the table, which stays where it is. Escape closes it; `j` and `k` go to the next device and back. */
export function AnswerPanel({ fanOut }: { fanOut: FanOut }): ReactNode {
  const [{ answer }] = useSearchText();
  return answer ? <Panel fanOut={fanOut} digest={answer} /> : null;
}

const NONE: readonly AnsweredDevice[] = [];

function Panel({ fanOut: { id: fanOutId, selector, state }, digest }: { fanOut: FanOut; digest: string }): ReactNode {
  const [{ of, sort }, change] = useSearchText();
  const panel = useRef<HTMLElement>(null);
  const { data, error } = useQuery({
    queryKey: KEYS.fanOut.answer(fanOutId, digest),
    queryFn: ({ signal }) =>
      api.get('/v1/fan-outs/{fanOutId}/answers/{digest}', { params: { path: { fanOutId, digest } }, signal }),
    staleTime: Infinity,
  });
  const { data: answers = NONE } = useAnswers(fanOutId, selector, state !== 'running');
  const devices = useMemo(() => sortedAnswers(answers, sort), [answers, sort]);
  const at = devices.findIndex((one) => one.digest === digest && (of === undefined || one.deviceId === of));
  const device = devices[at];
  const usual = useMemo(() => usualValues(devices, [...(device?.values.keys() ?? [])]), [devices, device]);
  useEffect(() => panel.current?.focus(), []);
  const close = () => change({ answer: undefined, of: undefined });
  const step = (by: number) => {
    const next = devices[at + by];
    if (next?.digest) change({ answer: next.digest, of: next.deviceId });
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return close();
    const isTyped = event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey;
    if (isTyped || (event.key !== 'j' && event.key !== 'k')) return;
    event.stopPropagation(); // they move through the rows of the table, too
    step(event.key === 'j' ? 1 : -1);
  };
  const title = titleOf(data, device);
  return (
    <aside ref={panel} tabIndex={-1} className={styles['panel']} aria-label={title} onKeyDown={pressed}>
      <div className="stack">
        <div className="row spread">
          <h2 className="foreign">{title}</h2>
          <span className="row">
            {device && (
              <>
                <IconButton icon="up" label="Device before (k)" disabled={at === 0} onClick={() => step(-1)} />
                <IconButton
                  icon="down"
                  label="Next device (j)"
                  disabled={at === devices.length - 1}
                  onClick={() => step(1)}
                />
              </>
            )}
            <IconButton icon="close" label="Close the answer" onClick={close} />
          </span>
        </div>
        {device && (
          <p className="row">
            <To to={`/devices/${device.deviceId}`}>Open the device</To>
            {data && data.devices > 1 && (
              <span className="small quiet">{countText(data.devices, 'device')} answered the same</span>
            )}
          </p>
        )}
        {error ? <Failure error={error} /> : null}
        {!data && !error && <Loading />}
        {data && !data.stored && (
          <p className="quiet">Its body is beyond the limits of storage: {data.bytes.toLocaleString('en')} bytes.</p>
        )}
        {data?.stored && <AnswerView key={digest} label="Answer" body={data.body} usual={usual} />}
      </div>
    </aside>
  );
}

/** `lab-21 · 200 · 39 ms · 2.5 kB`; of an answer that no device is chosen of, how many devices gave it. */
function titleOf(
  data: { readonly devices: number; readonly bytes: number } | undefined,
  device: AnsweredDevice | undefined,
): string {
  const size = data ? [bytesText(data.bytes)] : [];
  if (!device) return ['Answer', data && `of ${countText(data.devices, 'device')}`].filter(Boolean).join(' ');
  const { name, status, ms } = device;
  const call = [status && String(status), typeof ms === 'number' && `${ms.toLocaleString('en')} ms`];
  return [name, ...call, ...size].filter(Boolean).join(' · ');
}
