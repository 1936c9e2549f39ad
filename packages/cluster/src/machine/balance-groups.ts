import type { GroupProgress } from '@data-designer/engine/parts';

/** A machine that takes row groups, with those that it has. */
interface Holder {
  readonly id: string;
  readonly open: readonly GroupProgress[];
}

interface Queued {
  readonly waiting: number;
  /** How many groups machines have by the queue, which knows more than reports do. */
  readonly active: number;
}

/** What the coordinator asks of machines, so that those without a group get one. */
interface Balance {
  /** Machines that are to poll for waiting groups. */
  readonly idle: readonly string[];
  /** Machines that are to give back groups that they have not begun, with how many they keep. */
  readonly keep: ReadonlyMap<string, number>;
}

/** Finds machines without a group, and groups for them: those that wait, else those that others have not begun. */
export function balanceGroups(machines: readonly Holder[], { waiting, active }: Queued): Balance {
  const idle = machines.filter(({ open }) => open.length === 0).map(({ id }) => id);
  if (idle.length === 0 || waiting > 0) return { idle: idle.slice(0, waiting), keep: new Map() };
  const reported = machines.reduce((sum, { open }) => sum + open.length, 0);
  const part = Math.ceil(Math.max(reported, active) / machines.length);
  const holders = machines.filter(({ open }) => open.length > part && open.some(isUnbegun));
  return { idle: [], keep: new Map(holders.map(({ id }) => [id, part])) };
}

/** Whether a group has no finished row and no request: another machine can make it as well. */
export function isUnbegun({ rows, lost, inFlight, usage }: GroupProgress): boolean {
  const requests = [...Object.values(inFlight), ...Object.values(usage).map((used) => used.requests)];
  return rows + lost === 0 && requests.every((count) => count === 0);
}
