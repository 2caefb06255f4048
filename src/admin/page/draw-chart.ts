const WIDTH = 600;
const HEIGHT = 120;
/** Of a day's width, what its bar leaves free. */
const GAP = 4;

/** A bar of the chart, in the units of its drawing. */
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

/** A chart of days, and the day with the most. */
export interface Chart {
  width: number;
  height: number;
  bars: Bar[];
  total: number;
  most: Day;
}

/** Draws a bar for each day; a day with any sign-in shows. */
export function drawChart(days: readonly Day[]): Chart {
  const most = days.reduce((best, day) => (day.count > best.count ? day : best), { date: '', count: 0 });
  const step = WIDTH / Math.max(1, days.length);
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
