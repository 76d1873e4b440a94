import { useEffect, useState } from 'react';

/** A person who pauses for so long looks at the screen before the next key. */
const PAUSE_MS = 800;

/** Whether no key was pressed for a moment, so that a dialog that opens by itself takes no letters meant for the field behind it. */
export function useTypingPause(): boolean {
  const [isPause, setPause] = useState(false);
  useEffect(() => {
    if (isPause) return undefined;
    let timer = setTimeout(() => setPause(true), PAUSE_MS);
    const again = () => {
      clearTimeout(timer);
      timer = setTimeout(() => setPause(true), PAUSE_MS);
    };
    addEventListener('keydown', again, true);
    return () => {
      clearTimeout(timer);
      removeEventListener('keydown', again, true);
    };
  }, [isPause]);
  return isPause;
}
