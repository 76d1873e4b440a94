import { type FormEvent, type ReactNode, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { type Schema } from '../../../api/client.js';
import { shellWord } from '../../../api/equivalents.js';
import { refOf } from '../../../ui/devices/device-ref.js';
import { unreadChoices } from '../../../api/problems.js';
import { operatorsQuery, selfQuery } from '../../../api/queries.js';
import { Button } from '../../../ui/button.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { SelectField, TextField } from '../../../ui/field.js';
import { Table } from '../../../ui/list-table.js';
import { Mark } from '../../../ui/mark.js';
import { Failure, Notice } from '../../../ui/messages.js';
import { Card } from '../../../ui/page.js';
import { useSearchText } from '../../../ui/to.js';
import { ActMatrix } from './act-matrix.js';
import { answerText, type Question } from './answer-text.js';
import { Because } from './because.js';
import { ExplainEveryone } from './explain-everyone.js';
import { explainQuery } from './explain-query.js';
import { Locked, usePersonLocks } from '../people/person-state.js';
import { PERMISSION_OPTIONS } from '../permissions.js';
import css from '../access.module.css';
import { AwaitedCards } from '../../../ui/rows/awaited.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, method] as const);

const EVERYONE = 'everyone';

/** Who may do this, and why: asks the gateway for the rules that decide. */
export function Explain(): ReactNode {
  const [search] = useSearchText();
  const { operator, action, device, method, path } = search;
  const [chosen, setChosen] = useState<string>();
  if (!action)
    return (
      <div className="stack">
        <ActMatrix chosen={chosen} onChosen={setChosen} />
        <QuestionForm key={chosen} of={chosen} />
      </div>
    );
  const question: Question = { action, device: refOf(device ?? ''), method, path };
  return (
    <div className="stack">
      <QuestionForm key={JSON.stringify(search)} />
      {operator === EVERYONE ? <ExplainEveryone {...question} /> : <Explained {...question} operator={operator} />}
    </div>
  );
}

/** @param of the id of the person whom it is about at first; absent: everyone, or whom the address names */
function QuestionForm({ of = EVERYONE }: { of?: string | undefined }): ReactNode {
  const [search, change] = useSearchText();
  const [form, setForm] = useState({
    // Without one the question of the address is about the person who asks.
    operator: search['operator'] ?? (search['action'] ? '' : of),
    action: search['action'] ?? 'device.call_write',
    device: search['device'] ?? '',
    method: search['method'] ?? 'PUT',
    path: search['path'] ?? '',
  });
  const { data, error } = useQuery(operatorsQuery);
  const people = data?.items ?? [];
  const isCall = form.action.startsWith('device.call_');
  const field = (name: keyof typeof form) => ({
    value: form[name],
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [name]: event.target.value }),
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    const path = isCall ? form.path.trim() : '';
    change({
      operator: form.operator || undefined,
      action: form.action,
      device: form.device.trim() || undefined,
      method: path === '' ? undefined : form.method,
      path: path || undefined,
    });
  };
  return (
    <Card title="Ask about one act">
      <form className={css.explain} onSubmit={send}>
        <SelectField
          label="Who"
          wrong={unreadChoices(error)}
          options={[[EVERYONE, 'Everyone'], ['', 'You'], ...people.map(({ id, name }) => [id, name] as const)]}
          {...field('operator')}
        />
        <SelectField label="May do what" options={PERMISSION_OPTIONS} {...field('action')} />
        <TextField
          label="On which device"
          hint="Its name or id; empty: no device"
          spellCheck={false}
          {...field('device')}
        />
        {isCall && <SelectField label="Method" options={METHODS} {...field('method')} />}
        {isCall && (
          <TextField
            label="Path"
            hint="Such as /api/wireless/config; empty: any"
            spellCheck={false}
            {...field('path')}
          />
        )}
        <div>
          <Button type="submit" kind="primary">
            Explain
          </Button>
        </div>
      </form>
    </Card>
  );
}

interface VerdictProps {
  of: Schema<'RightExplained'>;
  /** A lock stops the person whatever their roles say. */
  isLocked: boolean;
}

function Verdict({ of: { allowed, inPart }, isLocked }: VerdictProps): ReactNode {
  if (isLocked) return <Mark tone="bad">Not allowed while locked</Mark>;
  if (inPart) return <Mark tone="busy">Allowed in part</Mark>;
  return <Mark tone={allowed ? 'good' : 'bad'}>{allowed ? 'Allowed' : 'Not allowed'}</Mark>;
}

const NOTHING = { allowed: false, inPart: false };

function Explained(question: Question): ReactNode {
  const { data, error, refetch } = useQuery(explainQuery(question));
  const people = useQuery(operatorsQuery).data?.items ?? [];
  const self = useQuery(selfQuery).data?.operatorId;
  const lock = usePersonLocks()(question.operator ?? self ?? '');
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <AwaitedCards />;
  const who = people.find(({ id }) => id === question.operator)?.name;
  return (
    <Card>
      <div className="stack">
        <div className={css.answer}>
          <Verdict of={data} isLocked={lock !== undefined} />
          <h2 className="foreign">{answerText(question, who, lock ? NOTHING : data)}</h2>
        </div>
        {lock && (
          <Notice tone="warn">
            <Locked lock={lock} />
          </Notice>
        )}
        <p>
          {lock && <span className="foreign">Without the lock: {answerText(question, who, data)} </span>}
          <Because of={data} />
        </p>
        {data.rules.length > 0 && (
          <Table
            label="The rules that decided"
            rows={data.rules}
            rowKey={({ layer, role, rule }) => `${layer} ${role} ${rule}`}
            columns={[
              { title: 'Of', cell: ({ layer }) => (layer === 'key' ? 'the key' : 'the person') },
              { title: 'Role', cell: ({ role }) => <span className="foreign">{role}</span> },
              { title: 'Rule', cell: ({ rule }) => rule, isNumber: true },
              {
                title: 'Effect',
                cell: ({ effect }) => (
                  <Mark tone={effect === 'allow' ? 'good' : 'bad'}>{effect === 'allow' ? 'allows' : 'forbids'}</Mark>
                ),
              },
              {
                title: 'For',
                cell: ({ selectors }) =>
                  selectors.length > 0 ? (
                    <code className="foreign">{selectors.join(' and ')}</code>
                  ) : (
                    <span className="quiet">all devices</span>
                  ),
              },
            ]}
          />
        )}
        <ExplainLines {...question} />
      </div>
    </Card>
  );
}

function ExplainLines(question: Question): ReactNode {
  const given = Object.entries(question).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  return (
    <EquivalentLines
      command={`device explain ${given.map(([name, value]) => `--${name} ${shellWord(value)}`).join(' ')}`}
      method="GET"
      path={`/v1/rights/explain?${new URLSearchParams(given).toString()}`}
    />
  );
}
