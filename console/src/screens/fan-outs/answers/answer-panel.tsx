import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { api } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { IconButton } from '../../../ui/button.js';
import { JsonBlock } from '../../../ui/json.js';
import { Failure, Loading } from '../../../ui/messages.js';
import { useSearchText } from '../../../ui/to.js';
import styles from './answers.module.css';

/** One answer beside the table, which stays where it is. Escape closes it. */
export function AnswerPanel({ fanOutId }: { fanOutId: string }): ReactNode {
  const [{ answer }, change] = useSearchText();
  if (!answer) return null;
  return <Panel key={answer} fanOutId={fanOutId} digest={answer} onClose={() => change({ answer: undefined })} />;
}

interface PanelProps {
  fanOutId: string;
  digest: string;
  onClose: () => void;
}

function Panel({ fanOutId, digest, onClose }: PanelProps): ReactNode {
  const panel = useRef<HTMLElement>(null);
  const { data, error } = useQuery({
    queryKey: KEYS.fanOut.answer(fanOutId, digest),
    queryFn: ({ signal }) =>
      api.get('/v1/fan-outs/{fanOutId}/answers/{digest}', { params: { path: { fanOutId, digest } }, signal }),
    staleTime: Infinity,
  });
  useEffect(() => panel.current?.querySelector('button')?.focus(), []);
  const title = data
    ? `Answer of ${data.devices.toLocaleString('en')} ${data.devices === 1 ? 'device' : 'devices'}`
    : 'Answer';
  return (
    <aside
      ref={panel}
      className={styles['panel']}
      aria-label={title}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <div className="stack">
        <div className="row spread">
          <h2>{title}</h2>
          <IconButton icon="close" label="Close the answer" onClick={onClose} />
        </div>
        {error ? <Failure error={error} /> : null}
        {!data && !error && <Loading />}
        {data && !data.stored && (
          <p className="quiet">Its body is beyond the limits of storage: {data.bytes.toLocaleString('en')} bytes.</p>
        )}
        {data?.stored && <JsonBlock label="Answer" value={data.body} />}
      </div>
    </aside>
  );
}
