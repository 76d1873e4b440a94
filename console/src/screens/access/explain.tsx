import { type FormEvent, type ReactNode, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { EquivalentLines } from '../../ui/equivalent.js';
import { SelectField, TextField } from '../../ui/field.js';
import { Table } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { Failure, Loading } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { selfQuery } from '../../api/queries.js';
import { useSearchText } from '../../ui/to.js';

/** Who may do this, and why: asks the gateway for the rules that decide. */
export function Explain(): ReactNode {
  const [search, change] = useSearchText();
  const [form, setForm] = useState({
    operator: search['operator'] ?? '',
    action: search['action'] ?? 'device.call_write',
    device: search['device'] ?? '',
  });
  const people = useQuery({ queryKey: ['operators'], queryFn: ({ signal }) => api.get('/v1/operators', { signal }) });
  const permissions = useQuery(selfQuery).data?.permissions ?? [];
  const send = (event: FormEvent) => {
    event.preventDefault();
    change({ operator: form.operator || undefined, action: form.action, device: form.device || undefined });
  };
  return (
    <div className="stack">
      <Card>
        <form className="stack" onSubmit={send}>
          <SelectField
            label="Who"
            value={form.operator}
            options={[['', 'You'], ...(people.data?.items ?? []).map(({ id, name }) => [id, name] as const)]}
            onChange={(event) => setForm({ ...form, operator: event.target.value })}
          />
          <SelectField
            label="What"
            value={form.action}
            options={permissions.map((name) => [name, name] as const)}
            onChange={(event) => setForm({ ...form, action: event.target.value })}
          />
          <TextField
            label="On which device"
            hint="Its id, or name:…; empty: what is no matter of one device"
            value={form.device}
            onChange={(event) => setForm({ ...form, device: event.target.value })}
          />
          <div>
            <Button type="submit" kind="primary">
              Explain
            </Button>
          </div>
        </form>
      </Card>
      {search['action'] && (
        <Explained operator={search['operator']} action={search['action']} device={search['device']} />
      )}
    </div>
  );
}

interface Question {
  operator?: string | undefined;
  action: string;
  device?: string | undefined;
}

function Explained(question: Question): ReactNode {
  const given = Object.entries(question).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  const query = Object.fromEntries(given);
  const { data, error, refetch } = useQuery({
    queryKey: ['rights', query],
    queryFn: ({ signal }) => api.get('/v1/rights/explain', { params: { query }, signal }),
  });
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  return (
    <Card>
      <div className="stack">
        <Mark tone={data.allowed ? 'good' : 'bad'}>{data.allowed ? 'Allowed' : 'Not allowed'}</Mark>
        <p className="foreign">{data.because}</p>
        {data.rules.length > 0 && (
          <Table
            label="The rules that decided"
            rows={data.rules}
            rowKey={({ layer, role, rule }) => `${layer} ${role} ${rule}`}
            columns={[
              { title: 'Of', cell: ({ layer }) => (layer === 'key' ? 'the key' : 'the person') },
              { title: 'Role', cell: ({ role }) => <span className="foreign">{role}</span> },
              { title: 'Rule', cell: ({ rule }) => rule, isNumber: true },
              { title: 'Effect', cell: ({ effect }) => effect },
              {
                title: 'For',
                cell: ({ selectors }) => <code className="foreign">{selectors.join(', ') || 'all'}</code>,
              },
            ]}
          />
        )}
        <EquivalentLines method="GET" path={`/v1/rights/explain?${new URLSearchParams(query).toString()}`} />
      </div>
    </Card>
  );
}
