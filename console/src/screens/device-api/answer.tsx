import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.js';
import { CopyButton } from '../../ui/copy.js';
import { Mark } from '../../ui/mark.js';
import { saveFile } from '../../api/save-file.js';
import { type DeviceAnswer, type DeviceCall } from './device-call.js';
import { JsonTree } from './json-tree.js';

/** What the device answered: status, time, and its body. */
export function Answer({ call, answer }: { call: DeviceCall; answer: DeviceAnswer }): ReactNode {
  const { status, ms, content, text, value, requestId } = answer;
  const [isRaw, setRaw] = useState(false);
  const hasPretty = value !== undefined && text !== null;
  const name = call.path.split('?')[0]?.split('/').at(-1) || 'answer';
  return (
    <div className="stack">
      <div className="row">
        <Mark tone={status < 300 ? 'good' : 'bad'}>
          {status < 300 ? `The device answered ${status}` : `The device refused it with status ${status}`}
        </Mark>
        <span className="small quiet">
          {ms} ms · {content.size.toLocaleString('en')} bytes{requestId && ` · request ${requestId}`}
        </span>
      </div>
      <div className="row">
        {hasPretty && (
          <>
            <Button aria-pressed={!isRaw} onClick={() => setRaw(false)}>
              Pretty
            </Button>
            <Button aria-pressed={isRaw} onClick={() => setRaw(true)}>
              Raw
            </Button>
          </>
        )}
        {text !== null && <CopyButton text={text} label="Copy the answer" />}
        <Button onClick={() => void saveFile(name, content.stream())}>Save as a file</Button>
      </div>
      {text === null ? (
        <p className="quiet">This answer is no text, or too long to show. Save it as a file.</p>
      ) : hasPretty && !isRaw ? (
        <JsonTree label="Answer of the device" value={value} />
      ) : (
        <pre className="code wrap foreign" role="region" aria-label="Answer of the device" tabIndex={0}>
          {text}
        </pre>
      )}
    </div>
  );
}
