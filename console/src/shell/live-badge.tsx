import { type ReactNode } from 'react';
import { numberText } from '../api/amount-text.js';
import { setPaused, useLive } from '../api/live.js';
import { Button } from '../ui/button.js';
import { Mark } from '../ui/mark.js';
import { durationText, useNow } from '../ui/time.js';

/** Whether the screens follow the gateway, with a pause. Stale screens say how old they are. */
export function LiveBadge(): ReactNode {
  const { status, waiting, brokenSince, pausedSince } = useLive();
  const now = useNow();
  if (status === 'broken') {
    return (
      <span className="mark" data-tone="warn" role="status">
        <i aria-hidden="true">▲</i>Stale, no events for {durationText(Math.max(0, now - (brokenSince ?? now)))}
      </span>
    );
  }
  if (status === 'off') return <span className="small quiet">Connecting …</span>;
  const isPaused = status === 'paused';
  const age = durationText(Math.max(0, now - (pausedSince ?? now)));
  const news = waiting > 0 ? `, ${numberText(waiting)} new` : '';
  const text = isPaused ? `Go on · this screen is paused, ${age}${news}` : 'Live';
  return (
    <Button
      kind="quiet"
      {...(isPaused ? { icon: 'play' as const } : {})}
      aria-pressed={isPaused}
      title={isPaused ? 'Show what is new, and follow again' : 'Pause this screen; the gateway goes on'}
      onClick={() => setPaused(!isPaused)}
    >
      {isPaused ? text : <Mark tone="good">{text}</Mark>}
    </Button>
  );
}
