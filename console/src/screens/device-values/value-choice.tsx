import { type ReactNode } from 'react';
import { SelectField } from '../../ui/field.js';
import { type Metric } from '../device/device-queries.js';
import { METRICS } from './shown-metrics.js';

interface ValueChoiceProps {
  metric: Metric;
  onMetric: (metric: Metric) => void;
  /** Further choices beside it. */
  children?: ReactNode;
}

/** Which value a chart shows, of one device or of all of a collection: in the head of its card. */
export function ValueChoice({ metric, onMetric, children }: ValueChoiceProps): ReactNode {
  return (
    <div className="inline-fields">
      <SelectField
        label="Value"
        value={metric}
        options={METRICS.map((one) => [one.metric, one.name] as const)}
        onChange={({ target }) => onMetric(target.value as Metric)}
      />
      {children}
    </div>
  );
}
