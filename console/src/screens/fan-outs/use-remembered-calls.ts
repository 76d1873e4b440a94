import { useState } from 'react';
import { readCalls, type RememberedCall, type RememberedCalls, withMarked, withSent } from './remembered-calls.js';

const KEY = 'fleetgate.calls';

/** A browser that stores nothing remembers nothing. */
function stored(): RememberedCalls {
  try {
    return readCalls(localStorage.getItem(KEY));
  } catch {
    return readCalls(null);
  }
}

function store(calls: RememberedCalls): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(calls));
  } catch {
    /* nothing is remembered */
  }
}

export const rememberSent = (call: RememberedCall): void => store(withSent(stored(), call));

/** The remembered calls, and a function that marks one or takes the mark off. */
export function useRememberedCalls(): [RememberedCalls, (call: RememberedCall) => void] {
  const [calls, setCalls] = useState(stored);
  const mark = (call: RememberedCall) => {
    const changed = withMarked(stored(), call);
    store(changed);
    setCalls(changed);
  };
  return [calls, mark];
}
