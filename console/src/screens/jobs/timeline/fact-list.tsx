import { type ReactNode } from 'react';
import { FoldedText } from '../../../ui/folded-text.js';
import { JsonBlock } from '../../../ui/json.js';
import { Facts } from '../../../ui/page.js';
import { toldLines, isNested } from './fact-words.js';

interface FactListProps {
  facts: Readonly<Record<string, unknown>>;
  /** What they are, for screen readers. */
  label: string;
}

/** Facts in words; where the words leave something out, all of it as JSON behind a fold. */
export function FactList({ facts, label }: FactListProps): ReactNode {
  return (
    <div className="stack small">
      <Facts of={toldLines(facts).map(([name, text]) => [name, <FoldedText key={name} text={text} />])} />
      {isNested(facts) && (
        <details className="equivalent">
          <summary className="small quiet">As JSON</summary>
          <JsonBlock label={label} value={facts} />
        </details>
      )}
    </div>
  );
}
