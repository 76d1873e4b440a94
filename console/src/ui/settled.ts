import { useEffect, useState } from 'react';

/** A value that is typed, as it was when the typing paused. @param ms the pause */
export function useSettled<Value>(value: Value, ms = 400): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
