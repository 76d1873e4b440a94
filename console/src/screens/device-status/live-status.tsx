import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { bytesText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { Failure, Loading } from '../../ui/messages.js';
import { Below } from '../../ui/rows/below.js';
import { Ago } from '../../ui/time.js';
import { OfflineCard } from '../device-outage/offline-card.js';
import { TrustCard } from '../device-outage/trust-card.js';
import { isAsked } from '../device/device-queries.js';
import { StoredValues } from '../device-values/stored-values.js';
import { AllValues } from './all-values.js';
import { useInView } from './in-view.js';
import { instrumentsOf } from './instruments.js';
import { LinkCards } from './link-cards.js';
import { liveKey, type LiveReading, readLive } from './live-reading.js';
import { Tiles } from './tiles.js';

const EVERY_MS = 10_000;

/** What a device says of itself, read again each ten seconds while a person looks at it; and its values over time. */
export function LiveStatus({ device }: { device: Schema<'Device'> }): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const isInView = useInView(box);
  const [isPaused, setPaused] = useState(false);
  const isLive = isAsked(device);
  const { data, error, isFetching, dataUpdatedAt, refetch } = useQuery({
    queryKey: liveKey(device.id),
    queryFn: ({ signal }) => readLive(device.id, signal),
    staleTime: EVERY_MS,
    enabled: isLive,
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) => (isPaused || !isInView || state.error ? false : EVERY_MS),
  });
  return (
    <div ref={box} className="stack">
      {isLive && (
        <div className="row">
          <Button icon={isPaused ? 'play' : 'pause'} aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            {isPaused ? 'Continue' : 'Pause'}
          </Button>
          <Button icon="refresh" kind="quiet" busy={isFetching} onClick={() => void refetch()}>
            Read now
          </Button>
          {data && <Cost reading={data} at={dataUpdatedAt} isPaused={isPaused} />}
        </div>
      )}
      {device.state === 'offline' && <OfflineCard device={device} />}
      {device.state === 'trust_changed' && <TrustCard device={device} />}
      {error && isLive ? <Failure error={error} onRetry={() => void refetch()} /> : null}
      {data && isLive ? (
        <>
          <Tiles of={instrumentsOf(data.answers)} planMb={device.fields['plan_mb']} />
          <LinkCards reading={data} />
        </>
      ) : (
        isLive && !error && <Loading what="Asking the device" />
      )}
      <Below isKnown={!isLive || data !== undefined || error !== null}>
        <StoredValues device={device} isLive={isLive && data !== undefined} />
        {data && <AllValues reading={data} />}
      </Below>
    </div>
  );
}

function Cost({ reading, at, isPaused }: { reading: LiveReading; at: number; isPaused: boolean }): ReactNode {
  const { bytes, allBytes, readings } = reading;
  const hour = (bytes * 3_600_000) / EVERY_MS;
  // The first one asks for more than those after it.
  const each = readings > 1 && `one request of ${bytesText(bytes)} each 10 s: ${bytesText(hour)} an hour`;
  return (
    <span className="small quiet">
      Read <Ago at={at} /> · {isPaused ? 'paused · ' : each && `${each} · `}
      {bytesText(allBytes)} since this page was opened
    </span>
  );
}
