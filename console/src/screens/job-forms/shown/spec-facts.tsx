import { type ReactNode } from 'react';
import { FoldedText } from '../../../ui/folded-text.js';
import { JsonBlock } from '../../../ui/json.js';
import { Facts } from '../../../ui/page.js';
import { specWords } from './spec-words.js';

/** The parameters of a job in words; as JSON behind a fold. @param label what they are of, for screen readers */
export function SpecFacts({ kind, spec, label }: { kind: string; spec: unknown; label: string }): ReactNode {
  const lines = specWords(kind, spec);
  if (lines.length === 0) return <p className="quiet">It needs no parameters.</p>;
  return (
    <div className="stack">
      <Facts of={lines.map(([name, text]) => [name, <FoldedText key={name} text={text} />])} />
      <details className="equivalent">
        <summary className="small quiet">As JSON</summary>
        <JsonBlock label={label} value={spec} />
      </details>
    </div>
  );
}
