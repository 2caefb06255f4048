// Reads processor time and memory of processes from the kernel. Linux only.
import { readdirSync, readFileSync } from 'node:fs';
import { Client } from 'pg';

/** Returns the processor time that processes have used so far, in microseconds. */
export type Meter = () => number;

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Lists a folder. Returns an empty list if the process, and with it the folder, no longer exists. */
function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Returns the processor time of one process with all its threads. The scheduler counts it in nanoseconds. */
function microsecondsOf(pid: string | number): number {
  let nanoseconds = 0;
  for (const thread of list(`/proc/${pid}/task`)) {
    nanoseconds += Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0] ?? 0);
  }
  return nanoseconds / 1000;
}

/** Returns a process and its child processes. */
const familyOf = (pid: number): string[] => [
  String(pid),
  ...read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean),
];

/** Returns a function that reads the processor time of a server and its workers. */
export const meterOf =
  (pid: number): Meter =>
  () =>
    familyOf(pid).reduce((sum, one) => sum + microsecondsOf(one), 0);

/** Returns the resident memory in megabytes, including workers. */
export const residentMegabytes = (pid: number): number =>
  familyOf(pid).reduce((sum, one) => {
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(read(`/proc/${one}/status`)) ?? [];
    return sum + Number(kilobytes) / 1024;
  }, 0);

/** Returns the peak memory of a process so far, in megabytes; 0 once the process has ended. */
export const peakMegabytes = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;

const parentOf = (pid: string): string | undefined => /\) \S (\d+)/.exec(read(`/proc/${pid}/stat`))?.[1];

/** Returns a function that reads the processor time of a PostgreSQL server: its first process and all child processes. */
export async function postgresMeter(url: string): Promise<Meter> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const first = parentOf(String(rows[0]?.pid));
  await client.end();
  if (first === undefined) throw new Error('the first process of PostgreSQL was not found');
  return () => {
    const pids = list('/proc').filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === first);
    let sum = microsecondsOf(first);
    for (const pid of pids) sum += microsecondsOf(pid);
    return sum;
  };
}
