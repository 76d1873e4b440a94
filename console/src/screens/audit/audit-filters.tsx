import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { relativeText } from '../../../../src/api-client/relative-time.js';
import { gatewayNow } from '../../api/clock.js';
import { useMay } from '../../api/may.js';
import { operatorsQuery } from '../../api/queries.js';
import { actionText, KNOWN_ACTIONS } from '../../ui/words/action-text.js';
import { Button } from '../../ui/button.js';
import { SelectField, TextField, TimeField } from '../../ui/field.js';
import { Filters, SelectFilter } from '../../ui/filters.js';
import { exactText, useNow } from '../../ui/time.js';
import { useSearchText } from '../../ui/to.js';
import { OWN_ZONE } from '../../ui/words/typed-time.js';
import { FILTERS } from './use-filters.js';

const OUTCOMES = [
  ['succeeded', 'Succeeded'],
  ['failed', 'Failed'],
  ['refused', 'Refused'],
  ['unknown', 'Unknown'],
  ['open', 'Open'],
] as const;

const ACTIONS = KNOWN_ACTIONS.map((action) => [action, actionText(action)] as const);

/** The parts of the gateway that act by themselves, by their names in the log. */
const PARTS = ['backup-retention', 'monitoring', 'retention', 'rollouts', 'templates', 'trust', 'watches'].map(
  (name) => [name, `the gateway (${name})`] as const,
);

const ONLY = [['changes', 'Changes only']] as const;

const EACH = [['yes', 'One for each entry']] as const;

/** The filters of the log, in the order of its columns; the less common ones are folded away until they are used. */
export function AuditFilters(): ReactNode {
  const [search, change] = useSearchText();
  const isNarrowed = FILTERS.some((name) => search[name]);
  const isMoreUsed = ['until', 'actor', 'selector', 'jobId', 'operation', 'requestId', 'each'].some(
    (name) => search[name],
  );
  const { jobId } = search; // of a link: the next field takes jobs, too
  const clear = () => change(Object.fromEntries([...FILTERS, 'pages'].map((name) => [name, undefined])));
  return (
    <Filters isNarrowed={isNarrowed || isMoreUsed}>
      <Who />
      <SelectFilter label="Show" param="only" none="Everything" options={ONLY} />
      <TextFilter label="What" param="action" placeholder="Started a job …" suggestions={ACTIONS} isNamed />
      <TextFilter label="Device" param="device" placeholder="pump-1" />
      <When />
      <SelectFilter label="Outcome" param="outcome" options={OUTCOMES} />
      {isNarrowed && <Button onClick={clear}>Clear filters</Button>}
      <details className="equivalent" open={isMoreUsed}>
        <summary className="small quiet">More filters</summary>
        <Filters>
          <TimeFilter label="Since" param="since" />
          <TimeFilter label="Until" param="until" />
          <TextFilter label="Key or session" param="actor" placeholder="key:… or session:…" />
          <TextFilter label="Selector" param="selector" placeholder="tag:pump & site:north/*" />
          {jobId && <TextFilter label="Job alone" param="jobId" placeholder="Its id" />}
          <TextFilter label="Bulk query or job" param="operation" placeholder="Its id" />
          <TextFilter label="Request" param="requestId" placeholder="Its id, of an error message" />
          <SelectFilter label="Rows" param="each" none="One for each job" options={EACH} />
        </Filters>
      </details>
    </Filters>
  );
}

interface FilterProps {
  label: string;
  param: string;
  placeholder?: string;
  suggestions?: readonly (readonly [value: string, text: string])[];
  /** The texts of the suggestions are shown and typed in the place of their values. */
  isNamed?: boolean;
}

/** Applied with Enter or when it is left. */
function TextFilter({ label, param, placeholder, suggestions = [], isNamed = false }: FilterProps): ReactNode {
  const list = useId();
  const [search, change] = useSearchText();
  const chosen = search[param] ?? '';
  const named = isNamed ? suggestions : [];
  const apply = (typed: string) => {
    const value = named.find(([, text]) => text.toLowerCase() === typed.toLowerCase())?.[0] ?? typed;
    if (value !== chosen) change({ [param]: value || undefined, pages: undefined });
  };
  return (
    <>
      <TextField
        key={chosen}
        label={label}
        list={suggestions.length > 0 ? list : undefined}
        defaultValue={named.find(([value]) => value === chosen)?.[1] ?? chosen}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        onBlur={(event) => apply(event.target.value.trim())}
        onKeyDown={(event) => event.key === 'Enter' && apply(event.currentTarget.value.trim())}
      />
      {suggestions.length > 0 && (
        <datalist id={list}>
          {suggestions.map(([value, text]) => (
            <option key={value} value={isNamed ? text : value}>
              {isNamed ? undefined : text}
            </option>
          ))}
        </datalist>
      )}
    </>
  );
}

/** A local time in the control, an exact instant in the address. */
function TimeFilter({ label, param }: FilterProps): ReactNode {
  const [search, change] = useSearchText();
  const now = useNow();
  const instant = search[param];
  return (
    <TimeField
      label={label}
      type="datetime-local"
      zone={OWN_ZONE}
      hint={instant && !Number.isNaN(Date.parse(instant)) && relativeText(Date.parse(instant) - now)}
      value={localText(instant)}
      onChange={({ target: { value } }) =>
        change({ [param]: value === '' ? undefined : new Date(value).toISOString(), pages: undefined })
      }
    />
  );
}

/** A person, by whatever key or session, or a part of the gateway. */
function Who(): ReactNode {
  const { data } = useQuery({ ...operatorsQuery, enabled: useMay('operator.read') });
  const people = (data?.items ?? []).map(({ name }) => [name, 'a person'] as const);
  return <TextFilter label="Who" param="who" placeholder="Name" suggestions={[...people, ...PARTS]} />;
}

const SPANS = [
  ['hour', 'The last hour', 3_600_000],
  ['day', 'The last day', 86_400_000],
  ['week', 'The last week', 604_800_000],
] as const;

/** Common spans. The address has the instant, so that a link shows the same entries later: then the instant is what is shown. */
function When(): ReactNode {
  const [{ since, until }, change] = useSearchText();
  const said = [since && `since ${exactText(since)}`, until && `until ${exactText(until)}`].filter(Boolean).join(' ');
  const choose = (span: string) => {
    const ms = SPANS.find(([value]) => value === span)?.[2];
    const from = ms === undefined ? undefined : new Date(gatewayNow() - ms).toISOString();
    change({ since: from, until: undefined, pages: undefined });
  };
  return (
    <SelectField
      label="When"
      value={said && 'said'}
      options={[
        ['', 'Any'],
        ...(said ? [['said', said] as const] : []),
        ...SPANS.map(([value, text]) => [value, text] as const),
      ]}
      onChange={({ target: { value } }) => value !== 'said' && choose(value)}
    />
  );
}

function localText(instant: string | undefined): string {
  const at = new Date(instant ?? '');
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
