import { type ReactNode } from 'react';
import { useAction } from '../../api/action.js';
import { Button } from '../../ui/button.js';
import { Failure, Notice } from '../../ui/messages.js';
import { AnswerView } from './answers/answer-view.js';
import { costText } from './asked-text.js';
import { type DeviceAnswer, type DeviceCall, sendCall, wordsOf } from '../device-api/device-call.js';

interface TryOneProps {
  device: { readonly id: string; readonly name: string };
  call: DeviceCall;
  /** How many devices get the call afterwards. */
  devices: number;
  disabled: boolean;
}

/** The same call to one of the devices first: what it answers is what to expect of the others. */
export function TryOne({ device, call, devices, disabled }: TryOneProps): ReactNode {
  const action = useAction({
    run: () => sendCall(device.id, call),
    done: null,
    quiet: true,
  });
  return (
    <>
      <div>
        <Button busy={action.isPending} disabled={disabled} onClick={() => action.mutate()}>
          <span className="foreign cut">Try it on {device.name} first</span>
        </Button>
      </div>
      {action.error ? <Failure error={action.error} /> : null}
      {action.data && <Answer name={device.name} answer={action.data} devices={devices} />}
    </>
  );
}

interface AnswerProps {
  name: string;
  answer: DeviceAnswer;
  devices: number;
}

function Answer({ name, answer, devices }: AnswerProps): ReactNode {
  const { status, ms, value, text, content } = answer;
  return (
    <>
      <Notice tone={status < 300 ? 'good' : 'bad'}>
        <span className="foreign">
          {name} answered with status {status} after {ms.toLocaleString('en')} ms
          {status < 300 ? '.' : wordsOf(value)}
        </span>
        {status < 300 && <span className="small quiet">{costText(content.size, devices)}</span>}
      </Notice>
      <details className="equivalent">
        <summary className="small quiet">Its answer</summary>
        <AnswerView label={`Answer of ${name}`} body={value ?? text} />
      </details>
    </>
  );
}
