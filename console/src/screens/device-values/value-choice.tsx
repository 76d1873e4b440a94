import { type ReactNode } from 'react';
import { SelectField } from '../../ui/field.js';
import filters from '../../ui/rows/filters.module.css';
import { type Metric } from '../device/device-queries.js';
import { METRICS } from './shown-metrics.js';

interface ValueChoiceProps {
  metric: Metric;
  onMetric: (metric: Metric) => void;
  /** Further choices beside it. */
  children?: ReactNode;
}

/** Which value a chart shows: of one device, and of all of a collection. */
export function ValueChoice({ metric, onMetric, children }: ValueChoiceProps): ReactNode {
  return (
    <div className={filters['filters']}>
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
