import { type ReactNode } from 'react';

/** A sentence of the gateway: what stands between back quotes is code. */
export function Marked({ text }: { text: string }): ReactNode {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}
