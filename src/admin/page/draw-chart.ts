const WIDTH = 600;
const HEIGHT = 120;
/** Space between two bars, in the units of the drawing. */
const GAP = 4;

/** A bar of the chart. Positions and sizes are in the units of the drawing. */
interface Bar {
  x: number;
  y: number;
  width: number;
  height: number;
  date: string;
  count: number;
}

interface Day {
  date: string;
  count: number;
}

/** A chart with one bar for each day. `most` is the day with the highest count. */
export interface Chart {
  width: number;
  height: number;
  bars: Bar[];
  total: number;
  most: Day;
}

/**
 * Computes a bar for each day. A bar is at least 2 units high if its day has any sign-in, so that it is visible.
 *
 * @param days at least one
 */
export function drawChart(days: readonly Day[]): Chart {
  const most = days.reduce((best, day) => (day.count > best.count ? day : best));
  const step = WIDTH / days.length;
  const bars = days.map(({ date, count }, at) => {
    const height = count === 0 ? 0 : Math.max(2, Math.round((count / most.count) * HEIGHT));
    return {
      x: Math.round(at * step) + GAP / 2,
      y: HEIGHT - height,
      width: Math.round(step) - GAP,
      height,
      date,
      count,
    };
  });
  return { width: WIDTH, height: HEIGHT, bars, total: days.reduce((sum, { count }) => sum + count, 0), most };
}
