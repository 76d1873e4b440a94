import { type ReactNode, useRef, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { shellWord } from '../../api/equivalents.js';
import { isRefused } from '../../api/problems.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { missingText } from '../../ui/leaving/missing-text.js';
import { useUnsavedFields } from '../../ui/leaving/unsaved.js';
import { Failure, Notice } from '../../ui/messages.js';
import { Card, Page } from '../../ui/page.js';
import { SelectorChoice } from '../../ui/devices/selector-choice.js';
import { type Permission, usePreview } from '../../ui/devices/selection-preview.js';
import { useSettled } from '../../ui/settled.js';
import { To, useGo, useSearchText } from '../../ui/to.js';
import { isDestructive } from '../device-api/device-call.js';
import { METHODS } from '../device-api/operation.js';
import { rememberSent } from './use-remembered-calls.js';
import { QuestionChoice } from './asking/question-choice.js';
import { questionTitle } from './asking/questions.js';
import { RequestFields } from './asking/request-fields.js';
import { askedText, offlineText } from './asked-text.js';
import { TryOne } from './try-one.js';
import styles from './fan-outs.module.css';

/** One call to all devices of a selector. Which devices it takes and leaves out is shown before it is sent. */
export function NewFanOut(): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  useUnsavedFields(box);
  const [search, change] = useSearchText();
  const { selector = '', path = '', approval } = search;
  const method = METHODS.find((one) => one === search['method']) ?? 'GET';
  const [bodyText, setBodyText] = useState('');
  const permission = method === 'GET' ? 'device.call_read' : 'device.call_write';
  const settled = useSettled(selector.trim());
  const preview = usePreview(settled, permission);
  const isSettled = useSettled(selector) === selector && !preview.isFetching;
  const json = readJson(bodyText);
  const isReady = isSettled && Boolean(preview.data?.count) && path.startsWith('/') && json.wrong === null;
  const first = preview.data?.sample[0];
  const body = { selector, request: { method, path, ...json.given }, expectedDigest: preview.data?.digest ?? '' };
  return (
    <Page title="New bulk query">
      <div ref={box} className={styles['fanOutColumns']}>
        <Card title="The question, and its devices">
          <div className="stack">
            <QuestionChoice />
            <SelectorChoice
              permission={permission}
              value={selector}
              onValue={(given) => change({ selector: given || undefined })}
            />
            <RequestFields method={method} path={path} bodyText={bodyText} wrong={json.wrong} onBody={setBodyText} />
          </div>
        </Card>
        <Card title="What will happen">
          <div className="stack">
            {selector === '' || !path.startsWith('/') ? (
              <Steps />
            ) : (
              <p className="foreign" title={`${method} ${path}`}>
                {askedText({ method, title: questionTitle({ method, path }), devices: preview.data?.count })}
              </p>
            )}
            {settled !== '' && <Offline selector={settled} permission={permission} />}
            {first && !isDestructive(method, path) && (
              <TryOne
                key={`${method} ${path}`}
                device={first}
                call={{ method, path, ...json.given }}
                devices={preview.data?.count ?? 0}
                disabled={!isReady}
              />
            )}
            <Send
              body={body}
              approval={approval}
              isReady={isReady}
              missing={missingText([!path.startsWith('/') && 'a question', selector === '' && 'devices'])}
              onApproval={(id) => change({ approval: id })}
              onStale={() => void preview.refetch()}
            />
          </div>
        </Card>
      </div>
    </Page>
  );
}

/** Those among the asked devices that do not answer now: they are asked all the same. */
function Offline({ selector, permission }: { selector: string; permission: Permission }): ReactNode {
  const { data } = usePreview(`(${selector}) & state:offline`, permission);
  if (!data?.count) return null;
  return (
    <p className="small quiet foreign">
      {offlineText(
        data.count,
        data.sample.map(({ name }) => name),
      )}
    </p>
  );
}

/** What happens in which order, before anything is chosen. */
const Steps = (): ReactNode => (
  <ol className={styles['steps']}>
    <li>You may ask one device first, and see its answer and what all answers cost in data.</li>
    <li>Each device is asked once. Devices that are locked, or that you may not call, are left out and named.</li>
    <li>
      Equal answers are shown together, and their fields as a table. Those that did not answer are asked again by a
      click.
    </li>
  </ol>
);

interface SendProps {
  body: Schema<'FanOut'>;
  approval: string | undefined;
  isReady: boolean;
  /** What keeps it from being sent, in words. */
  missing: string;
  onApproval: (id: string) => void;
  onStale: () => void;
}

function Send({ body, approval, isReady, missing, onApproval, onStale }: SendProps): ReactNode {
  const go = useGo();
  const { method = 'GET', path = '' } = body.request ?? {};
  const send = useAction({
    run: () => api.post('/v1/fan-outs', { body, ...(approval ? { headers: { 'approval-id': approval } } : {}) }),
    done: 'The calls have begun',
    refreshes: ['fan-outs'],
    after: ({ id }) => {
      rememberSent({ method, path, selector: body.selector });
      go(`/fan-outs/${id}`);
    },
    quiet: true,
  });
  const needed = isRefused(send.error, 'approval_required') ? send.error.problem['approvalId'] : undefined;
  const [isConfirming, setConfirming] = useState(false);
  const again = () => {
    send.reset();
    onStale();
  };
  return (
    <>
      {typeof needed === 'string' ? (
        <Notice tone="warn">
          <strong>So many devices need the approval of a second person.</strong>
          <span>
            They find the request under{' '}
            <To to="/access" search={{ tab: 'approvals' }}>
              approvals
            </To>
            . Leave this page open, and send it again when it is approved.
          </span>
          <div>
            <Button
              onClick={() => {
                onApproval(needed);
                send.reset();
              }}
            >
              It is approved
            </Button>
          </div>
        </Notice>
      ) : send.error ? (
        <Failure error={send.error} onRetry={again} />
      ) : null}
      {approval && <p className="small quiet">It is sent with the approval {approval}.</p>}
      <div className="row">
        <Button
          kind={method === 'GET' ? 'primary' : 'danger'}
          icon="play"
          busy={send.isPending}
          disabled={!isReady}
          onClick={() => (isDestructive(method, path) ? setConfirming(true) : send.mutate())}
        >
          {method === 'GET' ? 'Send' : `Send ${method} to the devices`}
        </Button>
        {missing && <span className="small quiet">{missing}</span>}
      </div>
      {isConfirming && (
        <Confirm
          title={`Send ${method} to all these devices`}
          send={`Send ${method}`}
          typed={path}
          onConfirm={() => {
            setConfirming(false);
            send.mutate();
          }}
          onClose={() => setConfirming(false)}
        >
          Each of the devices is interrupted, or removes what this path names. The gateway does not undo it.
        </Confirm>
      )}
      <EquivalentLines
        command={`fan-out ${method.toLowerCase()} ${shellWord(path)} -l ${shellWord(body.selector)} --keep${body.request?.json === undefined ? '' : ' -f body.json'}`}
        method="POST"
        path="/v1/fan-outs"
        body={body}
      />
    </>
  );
}

function readJson(text: string): { given: { json?: unknown }; wrong: string | null } {
  if (text.trim() === '') return { given: {}, wrong: null };
  try {
    return { given: { json: JSON.parse(text) as unknown }, wrong: null };
  } catch (error) {
    return { given: {}, wrong: error instanceof Error ? error.message : 'This is not JSON.' };
  }
}
