import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { CheckField } from '../../ui/field.js';
import { Failure, Notice } from '../../ui/messages.js';
import { Answer } from './answer.js';
import { type DeviceAnswer, type DeviceCall, isDestructive, sendCall } from './device-call.js';
import { type Method, type Operation } from './operation.js';
import { BodyFields, bodyFor } from './request-fields.js';
import { RequestLines } from './request-lines.js';
import { Rights } from './rights.js';

interface RequestFormProps {
  device: Schema<'Device'>;
  method: Method;
  /** With the values of its placeholders. */
  path: string;
  operation: Operation | undefined;
  /** The body, where one was typed. */
  typed: string | undefined;
  /** Undefined where it is again what it was at first. */
  onTyped: (body: string | undefined) => void;
  onSent: () => void;
}

/** Body, reason and the button; the answer below. It is made again for another operation, so that no body goes to the wrong one. */
export function RequestForm(props: RequestFormProps): ReactNode {
  const { device, method, path, operation, typed, onTyped, onSent } = props;
  const first = bodyFor(operation);
  const bodyText = typed ?? first;
  const [reason, setReason] = useState('');
  const [isConfirming, setConfirming] = useState(false);
  const [wantsSecrets, setWantsSecrets] = useState(false);
  const mayReadSecrets = useMay('device.read_secrets');
  const json = readJson(method === 'GET' ? '' : bodyText);
  const call: DeviceCall = {
    method,
    path,
    ...('given' in json ? { json: json.given } : {}),
    ...(reason ? { reason } : {}),
    wantsSecrets,
  };
  const send = useAction<DeviceCall, { call: DeviceCall; answer: DeviceAnswer }>({
    run: async (sent) => ({ call: sent, answer: await sendCall(device.id, sent) }),
    done: null, // the answer stands below
    refreshes: ['device', 'device-configuration', 'audit'],
    after: onSent,
    quiet: true,
  });
  const needsName = isDestructive(method, path);
  return (
    <div className="stack">
      {method !== 'GET' && !operation?.takesFile && (
        <BodyFields
          wrong={json.wrong}
          body={bodyText}
          reason={reason}
          operation={operation}
          onBody={(body) => onTyped(body === first ? undefined : body)}
          onReason={setReason}
        />
      )}
      {method === 'GET' && mayReadSecrets && (
        <CheckField
          label="Show secrets; the audit log records it"
          checked={wantsSecrets}
          onChange={(event) => setWantsSecrets(event.target.checked)}
        />
      )}
      <Rights device={device} method={method} path={path} />
      {operation?.takesFile ? (
        <Notice>This operation takes a file. Send it with the command line or with curl, or start a job.</Notice>
      ) : (
        <SendButton
          call={call}
          isReady={path.startsWith('/api/') && !path.includes('{') && json.wrong === null}
          busy={send.isPending}
          onSend={() => (needsName ? setConfirming(true) : send.mutate(call))}
        />
      )}
      <RequestLines device={device} call={call} />
      {isConfirming && (
        <Confirm
          title={`Send ${method} ${path}`}
          send={`Send ${method}`}
          typed={device.name}
          onConfirm={() => {
            setConfirming(false);
            send.mutate(call);
          }}
          onClose={() => setConfirming(false)}
        >
          This may interrupt the device, or remove something of it. The gateway does not undo it.
        </Confirm>
      )}
      {send.error ? <Failure error={send.error} /> : null}
      {send.data && !send.isPending && <Answer {...send.data} />}
    </div>
  );
}

interface SendButtonProps {
  call: DeviceCall;
  isReady: boolean;
  busy: boolean;
  onSend: () => void;
}

function SendButton({ call: { method, path }, isReady, busy, onSend }: SendButtonProps): ReactNode {
  return (
    <div className="row">
      <Button
        kind={method === 'GET' ? 'primary' : 'danger'}
        icon="play"
        busy={busy}
        disabled={!isReady}
        onClick={onSend}
      >
        {method === 'GET' ? 'Send' : `Send ${method} to the device`}
      </Button>
      {path.includes('{') && <span className="small quiet">Give the values in braces first.</span>}
    </div>
  );
}

interface ReadJson {
  readonly given?: unknown;
  readonly wrong: string | null;
}

function readJson(text: string): ReadJson {
  if (text.trim() === '') return { wrong: null };
  try {
    return { given: JSON.parse(text) as unknown, wrong: null };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : 'This is not JSON.' };
  }
}
