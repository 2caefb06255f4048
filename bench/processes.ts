// Reads processor time and memory of processes from the kernel. Linux only.
import { readdirSync, readFileSync } from 'node:fs';
import { Client } from 'pg';

/** The processor time of processes so far, in microseconds. */
export type Meter = () => number;

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** A process may end meanwhile. Then there is nothing to list. */
function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Processor time of one process, all its threads together, to the nanosecond as the scheduler counts it. */
function microsecondsOf(pid: string | number): number {
  let nanoseconds = 0;
  for (const thread of list(`/proc/${pid}/task`)) {
    nanoseconds += Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0] ?? 0);
  }
  return nanoseconds / 1000;
}

/** A process and its child processes. */
const familyOf = (pid: number): string[] => [
  String(pid),
  ...read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean),
];

/** The time of a server, including its workers. */
export const meterOf =
  (pid: number): Meter =>
  () =>
    familyOf(pid).reduce((sum, one) => sum + microsecondsOf(one), 0);

/** Resident memory in megabytes, including workers. */
export const residentMegabytes = (pid: number): number =>
  familyOf(pid).reduce((sum, one) => {
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(read(`/proc/${one}/status`)) ?? [];
    return sum + Number(kilobytes) / 1024;
  }, 0);

/** The most memory that a process has had so far, in megabytes; 0 once it has ended. */
export const peakMegabytes = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;

const parentOf = (pid: string): string | undefined => /\) \S (\d+)/.exec(read(`/proc/${pid}/stat`))?.[1];

/** The time of a PostgreSQL server: its first process and all its children. */
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
