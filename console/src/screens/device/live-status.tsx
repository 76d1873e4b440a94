import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { JsonBlock } from '../../ui/json.js';
import { Failure, Loading } from '../../ui/messages.js';
import { Card, Facts } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { sendCall, wordsOf } from '../device-api/device-call.js';
import { fieldsOf } from '../device-api/document.js';
import { scalarsOf } from './scalars.js';

/** What is read, below /api of the device. */
const READINGS = [
  ['Device', 'system/device/status'],
  ['Load and memory', 'system/device/usage/status'],
  ['Mobile', 'modems/status'],
  ['Interfaces', 'interfaces/status'],
  ['Position', 'gps/position/status'],
] as const;

const FACTS_MAX = 30;

/** What the device says about itself now. It is read again with the button only: each reading is a call to the device. */
export function LiveStatus({ device }: { device: Schema<'Device'> }): ReactNode {
  return (
    <div className="columns">
      {READINGS.map(([title, path]) => (
        <Reading key={path} id={device.id} title={title} path={path} />
      ))}
    </div>
  );
}

/** In the place of what a device does not offer: many have no modem, or no GPS. */
const ABSENT = Symbol('absent');

/** @throws ApiError; Error with the device's own words */
async function readingOf(id: string, path: string, signal: AbortSignal): Promise<unknown> {
  const { status, value } = await sendCall(id, { method: 'GET', path }, signal);
  if (status === 404 || status === 501) return ABSENT;
  if (status >= 300) throw new Error(`The device refused it with status ${status}${wordsOf(value)}`);
  return fieldsOf(value)['data'] ?? value ?? null;
}

function Reading({ id, title, path }: { id: string; title: string; path: string }): ReactNode {
  const { data, error, isFetching, dataUpdatedAt, refetch } = useQuery({
    queryKey: ['status', id, path],
    queryFn: ({ signal }) => readingOf(id, `/api/${path}`, signal),
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
  const read = (
    <Button
      kind="quiet"
      icon="refresh"
      busy={isFetching}
      aria-label={`Read again: ${title}`}
      onClick={() => void refetch()}
    >
      Read again
    </Button>
  );
  return (
    <Card title={title} actions={read}>
      <div className="stack">
        {error ? (
          <Failure error={error} />
        ) : data === undefined ? (
          <Loading what={`Reading ${path}`} />
        ) : data === ABSENT ? (
          <p className="quiet">This device does not have it.</p>
        ) : (
          <Values of={data} />
        )}
        {data !== undefined && (
          <p className="small quiet">
            <code>/api/{path}</code>, read <Ago at={dataUpdatedAt} />
          </p>
        )}
      </div>
    </Card>
  );
}

function Values({ of }: { of: unknown }): ReactNode {
  const values = scalarsOf(of, FACTS_MAX + 1);
  if (values.length === 0) return <p className="quiet">The device has nothing to say here.</p>;
  return (
    <>
      <Facts of={values.slice(0, FACTS_MAX)} />
      {values.length > FACTS_MAX && (
        <details>
          <summary className="small quiet">The whole answer</summary>
          <JsonBlock label="The whole answer" value={of} />
        </details>
      )}
    </>
  );
}
