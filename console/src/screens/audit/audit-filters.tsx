import { type ReactNode, useId } from 'react';
import { relativeText } from '../../../../src/api-client/relative-time.js';
import { gatewayNow } from '../../api/clock.js';
import { actionText, KNOWN_ACTIONS } from '../../ui/action-text.js';
import { Button } from '../../ui/button.js';
import { Chip, Chips } from '../../ui/devices/chips.js';
import { TextField } from '../../ui/field.js';
import { Filters, SelectFilter } from '../../ui/filters.js';
import { exactText, useNow } from '../../ui/time.js';
import { useSearchText } from '../../ui/to.js';
import { FILTERS } from './use-filters.js';

const OUTCOMES = [
  ['succeeded', 'Succeeded'],
  ['failed', 'Failed'],
  ['refused', 'Refused'],
  ['unknown', 'Unknown'],
  ['open', 'Open'],
] as const;

const EACH = [['yes', 'One for each entry']] as const;

/** The filters of the log; the less common ones are folded away until they are used. */
export function AuditFilters(): ReactNode {
  const [search, change] = useSearchText();
  const used = FILTERS.filter((name) => search[name]);
  const isMoreUsed = ['since', 'until', 'selector', 'jobId', 'operation', 'requestId', 'actor', 'each'].some(
    (name) => search[name],
  );
  return (
    <div className="stack">
      <Filters>
        <TextFilter label="Action" param="action" placeholder="device.*" suggestions={KNOWN_ACTIONS} />
        <TextFilter label="Device" param="device" placeholder="pump-1" />
        <SelectFilter label="Outcome" param="outcome" options={OUTCOMES} />
        {used.length > 0 && (
          <Button onClick={() => change(Object.fromEntries([...FILTERS, 'pages'].map((name) => [name, undefined])))}>
            Clear filters
          </Button>
        )}
      </Filters>
      <Spans />
      <details className="equivalent" open={isMoreUsed}>
        <summary className="small quiet">More filters</summary>
        <Filters>
          <TimeFilter label="Since" param="since" />
          <TimeFilter label="Until" param="until" />
          <TextFilter label="Actor" param="actor" placeholder="operator:… or key:…" />
          <TextFilter label="Selector" param="selector" placeholder="tag:pump & site:north/*" />
          <TextFilter label="Job" param="jobId" placeholder="id" />
          <TextFilter label="Bulk query or job" param="operation" placeholder="id" />
          <TextFilter label="Request" param="requestId" placeholder="id" />
          <SelectFilter label="Rows" param="each" none="One for each job" options={EACH} />
        </Filters>
      </details>
    </div>
  );
}

interface FilterProps {
  label: string;
  param: string;
  placeholder?: string;
  suggestions?: readonly string[];
}

/** Applied with Enter or when it is left. */
function TextFilter({ label, param, placeholder, suggestions = [] }: FilterProps): ReactNode {
  const list = useId();
  const [search, change] = useSearchText();
  const chosen = search[param] ?? '';
  const apply = (text: string) => text !== chosen && change({ [param]: text || undefined, pages: undefined });
  return (
    <>
      <TextField
        key={chosen}
        label={label}
        list={suggestions.length > 0 ? list : undefined}
        defaultValue={chosen}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        onBlur={(event) => apply(event.target.value.trim())}
        onKeyDown={(event) => event.key === 'Enter' && apply(event.currentTarget.value.trim())}
      />
      {suggestions.length > 0 && (
        <datalist id={list}>
          {suggestions.map((one) => (
            <option key={one} value={one}>
              {actionText(one)}
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
    <TextField
      label={label}
      type="datetime-local"
      hint={instant && !Number.isNaN(Date.parse(instant)) ? saidText(instant, now) : undefined}
      value={localText(instant)}
      onChange={({ target: { value } }) =>
        change({ [param]: value === '' ? undefined : new Date(value).toISOString(), pages: undefined })
      }
    />
  );
}

/** The time in the form of the reader, and how long ago it is: the control of the browser says only one of them. */
const saidText = (instant: string, now: number): string =>
  `${exactText(instant)} · ${relativeText(Date.parse(instant) - now)}`;

const SPANS = [
  ['The last hour', 3_600_000],
  ['The last day', 86_400_000],
  ['The last week', 604_800_000],
] as const;

/** Common spans by one click. */
function Spans(): ReactNode {
  const [, change] = useSearchText();
  return (
    <Chips label="Since when">
      {SPANS.map(([text, ms]) => (
        <Chip
          key={text}
          isOn={false}
          onClick={() =>
            change({ since: new Date(gatewayNow() - ms).toISOString(), until: undefined, pages: undefined })
          }
        >
          {text}
        </Chip>
      ))}
    </Chips>
  );
}

function localText(instant: string | undefined): string {
  const at = new Date(instant ?? '');
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
