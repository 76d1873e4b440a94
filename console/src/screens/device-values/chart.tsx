import { memo, type ReactNode, useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useShownTheme } from '../../shell/theme.js';
import styles from './chart.module.css';

/* A line over time with the least and the greatest value around it, and what happened in the same time. */

const HEIGHT_PX = { usual: 240, low: 176 } as const;

interface ChartPoint {
  readonly at: string;
  readonly min: number;
  readonly mean: number;
  readonly max: number;
}

/** A moment: a line from top to bottom. */
interface ChartMark {
  /** Milliseconds. */
  readonly at: number;
  readonly tone: 'accent' | 'warn' | 'bad';
}

/** A length of time behind the line. */
interface ChartSpan {
  readonly from: number;
  readonly ms: number;
}

interface ChartProps {
  /** What the picture says, for who does not see it. */
  readonly label: string;
  readonly points: readonly ChartPoint[];
  /** Points further apart than this are not joined. Seconds. */
  readonly gapSeconds: number;
  /** Milliseconds. */
  readonly from: number;
  readonly to: number;
  readonly marks: readonly ChartMark[];
  readonly spans: readonly ChartSpan[];
  readonly textOf: (value: number) => string;
  /** The least and the greatest value that the axis has in any case; absent: those of the points. */
  readonly range?: readonly [least: number, greatest: number] | undefined;
  /** Where a value is a warning, and where it is bad: lower ones where the second is lower. */
  readonly limits?: readonly [warn: number, bad: number] | undefined;
  /** What a rule compares the value with: a line from side to side. */
  readonly limit?: number | undefined;
  readonly height?: keyof typeof HEIGHT_PX;
}

const AXIS_TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const AXIS_DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const LEGEND_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** A canvas keeps the colours with which it was drawn: another theme draws another one. */
export const Chart = memo(function Chart(props: ChartProps): ReactNode {
  return <Canvas key={useShownTheme()} {...props} />;
});

function Canvas(props: ChartProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const at = box.current!;
    const plot = new uPlot(optionsOf(props, at.clientWidth), dataOf(props), at);
    const resized = new ResizeObserver(() => plot.setSize({ width: at.clientWidth, height: heightOf(props) }));
    resized.observe(at);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [props]);
  return <div ref={box} className={styles['chart']} role="img" aria-label={props.label} />;
}

const heightOf = ({ height = 'usual' }: ChartProps): number => HEIGHT_PX[height];

/** Times in seconds, then least, mean and greatest value; `null` where points are not joined. */
function dataOf({ points, gapSeconds }: ChartProps): uPlot.AlignedData {
  const rows: (readonly [number, number | null, number | null, number | null])[] = [];
  for (const { at, min, mean, max } of points) {
    const seconds = Date.parse(at) / 1_000;
    const before = rows.at(-1)?.[0];
    if (before !== undefined && seconds - before > gapSeconds) rows.push([before + gapSeconds / 2, null, null, null]);
    rows.push([seconds, min, mean, max]);
  }
  return [0, 1, 2, 3].map((column) => rows.map((row) => row[column])) as unknown as uPlot.AlignedData;
}

function optionsOf(props: ChartProps, width: number): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const { from, to, textOf } = props;
  const range = rangeOf(props);
  const axis = {
    stroke: color('ink-2'),
    font: `12px ${color('font')}`,
    grid: { stroke: color('line'), width: 1 },
    ticks: { stroke: color('line') },
  };
  const isLow = props.height === 'low';
  const isLong = to - from > 2 * 86_400_000;
  const times = isLong ? AXIS_DAY : AXIS_TIME;
  const text = (_plot: uPlot, value: number | null) => (value === null ? '–' : textOf(value));
  const edge = { stroke: 'transparent', points: { show: false }, value: text };
  return {
    width,
    height: heightOf(props),
    ...(isLow ? { padding: [8, null, 0, 0] as uPlot.Padding } : {}),
    cursor: { drag: { x: false, y: false } },
    scales: {
      x: { range: [from / 1_000, to / 1_000] },
      y: range
        ? { range: (_plot, min, max) => [Math.min(range[0], min ?? range[0]), Math.max(range[1], max ?? range[1])] }
        : {},
    },
    axes: [
      {
        ...axis,
        ...(isLow ? { size: 32 } : {}),
        ...(isLong ? { incrs: [86_400, 2 * 86_400, 7 * 86_400] } : {}), // a day has one label
        values: (_plot, splits) => splits.map((seconds) => times.format(seconds * 1_000)),
      },
      {
        ...axis,
        size: isLow ? 76 : 84,
        values: (_plot, splits) => splits.map((value) => textOf(value)),
      },
    ],
    series: [
      {
        label: 'Time',
        value: (_plot, seconds: number | null) => (seconds === null ? '–' : LEGEND_TIME.format(seconds * 1_000)),
      },
      { label: 'Lowest', ...edge },
      { label: 'Mean', stroke: color('accent'), width: 1.5, points: { show: true, size: 3 }, value: text },
      { label: 'Highest', ...edge },
    ],
    bands: [{ series: [3, 1], fill: `${color('accent')}33` }],
    hooks: { drawClear: [(plot) => drawBehind(plot, props, color)] },
  };
}

/** The values that the axis has in any case. */
function rangeOf({ range, limit }: ChartProps): readonly [least: number, greatest: number] | undefined {
  if (limit === undefined) return range;
  return range ? [Math.min(range[0], limit), Math.max(range[1], limit)] : [limit, limit];
}

/** What happened, behind the line. */
function drawBehind(plot: uPlot, props: ChartProps, color: (name: string) => string): void {
  const { spans, marks, from, to, limits, limit } = props;
  const { ctx, bbox } = plot;
  if (limits) drawLimits(plot, limits, color);
  const xOf = (ms: number) => plot.valToPos(Math.min(to, Math.max(from, ms)) / 1_000, 'x', true);
  ctx.save();
  ctx.fillStyle = color('line'); // the tints are of the bands of values
  for (const span of spans) {
    const left = xOf(span.from);
    ctx.fillRect(left, bbox.top, Math.max(1, xOf(span.from + span.ms) - left), bbox.height);
  }
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.lineWidth = devicePixelRatio;
  for (const mark of marks) {
    if (mark.at < from || mark.at > to) continue;
    ctx.strokeStyle = color(mark.tone);
    ctx.beginPath();
    ctx.moveTo(xOf(mark.at), bbox.top);
    ctx.lineTo(xOf(mark.at), bbox.top + bbox.height);
    ctx.stroke();
  }
  if (limit !== undefined) {
    ctx.strokeStyle = color('bad');
    ctx.beginPath();
    ctx.moveTo(bbox.left, plot.valToPos(limit, 'y', true));
    ctx.lineTo(bbox.left + bbox.width, plot.valToPos(limit, 'y', true));
    ctx.stroke();
  }
  ctx.restore();
}

/** The bands of values that are a warning, and bad, in tints behind everything. */
function drawLimits(plot: uPlot, [warn, bad]: readonly [number, number], color: (name: string) => string): void {
  const { ctx, bbox } = plot;
  const [top, bottom] = [bbox.top, bbox.top + bbox.height];
  const yOf = (value: number) => Math.min(bottom, Math.max(top, plot.valToPos(value, 'y', true)));
  const end = bad < warn ? bottom : top;
  ctx.save();
  for (const [from, to, tint] of [
    [yOf(warn), yOf(bad), 'warn-tint'],
    [yOf(bad), end, 'bad-tint'],
  ] as const) {
    ctx.fillStyle = color(tint);
    ctx.fillRect(bbox.left, Math.min(from, to), bbox.width, Math.abs(to - from));
  }
  ctx.restore();
}
