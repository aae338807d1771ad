import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export type PlotLine = {
  readonly label: string;
  /** CSS variable with the line's color, such as `--series-1`. */
  readonly color: string;
  readonly x: readonly number[];
  readonly y: readonly number[];
};

export type SeriesPlotProps = {
  /** Description for screen readers. */
  readonly label: string;
  readonly lines: readonly PlotLine[];
  readonly from: number;
  readonly to: number;
  readonly height: number;
  /** Width of the gutter for the axis labels. */
  readonly gutter: number;
  /** Formats a value. */
  readonly formatValue: (value: number) => string;
  /** Minimum upper bound of the value axis. */
  readonly topMin: number;
  /** Position of a horizontal line, such as a limit. */
  readonly limit?: number;
  readonly cursor: number | null;
  readonly onSelect?: (x: number) => void;
};

/** Plots several series as step functions over the same axis. */
export function SeriesPlot(props: SeriesPlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const names = props.lines.map(({ label, color }) => `${label} ${color}`).join();
  const { height, gutter } = props;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const instance = new uPlot(
      buildPlotOptions(latest, element.clientWidth),
      toPlotData(latest.current.lines),
      element,
    );
    plot.current = instance;
    const observer = new ResizeObserver(() => instance.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    const redraw = (): void => instance.redraw(false);
    window.addEventListener('pawl-theme', redraw);
    return () => {
      observer.disconnect();
      window.removeEventListener('pawl-theme', redraw);
      instance.destroy();
      plot.current = null;
    };
  }, [names, height, gutter]);
  useEffect(() => {
    plot.current?.setData(toPlotData(props.lines));
  });
  const onSelect = props.onSelect;
  return (
    <div
      ref={box}
      className="plot"
      role="img"
      aria-label={props.label}
      onClick={(event) => {
        const instance = plot.current;
        if (instance === null || onSelect === undefined) return;
        onSelect(instance.posToVal(event.clientX - instance.over.getBoundingClientRect().left, 'x'));
      }}
    />
  );
}

type LatestPlotProps = { readonly current: SeriesPlotProps };

function buildPlotOptions(latest: LatestPlotProps, width: number): uPlot.Options {
  const { lines, height, gutter } = latest.current;
  const grid = { stroke: () => getCssColor('--line'), width: 1 };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 0, 4, 0],
    scales: {
      x: {
        time: false,
        range: () => [latest.current.from, Math.max(latest.current.to, latest.current.from + 1e-9)],
      },
      y: { range: (_, __, highest) => [0, Math.max(latest.current.topMin, toFiniteOrZero(highest)) * 1.05] },
    },
    axes: [
      { show: false },
      {
        size: gutter,
        gap: 6,
        splits: (self) => [0, (self.scales['y']?.max ?? 1) / 1.05],
        values: (_, values) => values.map((value) => latest.current.formatValue(value)),
        stroke: () => getCssColor('--muted'),
        font: `11px ${getCssFont()}`,
        grid,
        ticks: { show: false },
      },
    ],
    series: [
      {},
      ...lines.map(({ label, color }) => ({
        label,
        stroke: () => getCssColor(color),
        width: 1.75,
        points: { show: false },
        spanGaps: true,
        ...(lines.length === 1 && {
          fill: () => `color-mix(in srgb, ${getCssColor(color)} 14%, transparent)`,
        }),
        ...(steppedPaths !== undefined && { paths: steppedPaths }),
      })),
    ],
    hooks: { draw: [(self) => drawOverlay(self, latest.current)] },
  };
}

const steppedPaths = uPlot.paths.stepped?.({ align: 1 });

/** Draws the selected moment and the limit. */
function drawOverlay(self: uPlot, { cursor, limit }: SeriesPlotProps): void {
  const { ctx, bbox } = self;
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  if (limit !== undefined) {
    const y = self.valToPos(limit, 'y', true);
    ctx.strokeStyle = getCssColor('--bad');
    ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
    drawCanvasLine(ctx, [bbox.left, y], [bbox.left + bbox.width, y]);
    ctx.setLineDash([]);
  }
  if (cursor !== null) {
    const x = self.valToPos(cursor, 'x', true);
    if (x >= bbox.left && x <= bbox.left + bbox.width) {
      ctx.strokeStyle = getCssColor('--accent');
      drawCanvasLine(ctx, [x, bbox.top], [x, bbox.top + bbox.height]);
    }
  }
  ctx.restore();
}

function drawCanvasLine(
  ctx: CanvasRenderingContext2D,
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
): void {
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  ctx.stroke();
}

/** Aligns all lines on the union of their x values. */
function toPlotData(lines: readonly PlotLine[]): uPlot.AlignedData {
  const tables = lines.map(({ x, y }): uPlot.AlignedData => [[...x], [...y]]);
  if (tables.length === 0) return [[0], [0]];
  return tables.length === 1 ? (tables[0] ?? [[0]]) : uPlot.join(tables);
}

function getCssColor(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}

function getCssFont(): string {
  return getComputedStyle(document.documentElement).getPropertyValue('--sans').trim();
}

function toFiniteOrZero(value: number | null): number {
  return value !== null && Number.isFinite(value) ? value : 0;
}
