import {
  type CellValue,
  DataDesignerError,
  isFields,
  parseJson,
  type Plan,
  stringifyJson,
  tryParse,
  unboxed,
} from '@data-designer/core';
import type { OpenEnvironment } from '@data-designer/environments';
import { isEqual, stateChanges, type StateChanges } from '@data-designer/environments/compare-states';
import { callIn } from '../functions/functions.ts';
import { type PreparedEnvironment, prepareEnvironments, type Reach, type RowOfWorld } from './prepare-environments.ts';

/** The row whose environments are opened again. */
export interface ReplayedRow extends RowOfWorld {
  readonly names: ReadonlySet<string>;
  /** The columns that used environments, in the order in which they were made. */
  readonly columns: readonly ReplayedColumn[];
}

/** What a column did in an environment, as its row has it. */
export interface ReplayedColumn {
  readonly column: string;
  readonly environment: string;
  /** Its tool calls, those of other providers among them. */
  readonly calls: readonly MadeCall[];
  /** The state that the column left. */
  readonly after: CellValue;
}

/** A tool call of a stored conversation. */
export interface MadeCall {
  /** Its number among the calls of its cell. */
  readonly number: number;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
  /** The text that the model got. */
  readonly result: string;
  readonly hasFailed: boolean;
}

/** An environment that was opened again. */
export interface ReplayedEnvironment {
  /** The state with which it began. */
  readonly began: CellValue;
  /** By column, what each of its calls changed, by the number of the call; without the columns of which that is not known. */
  readonly changes: ReadonlyMap<string, ReadonlyMap<number, StateChanges>>;
}

/** What belongs to a run: functions, and servers. */
const NOTHING: Reach = {
  callFunction: (handle, args) => callIn(undefined, handle, [args]),
  startServer: () => {
    throw new DataDesignerError('run/aborted', { reason: 'servers are started in a run only' });
  },
};

/** A page waits for the calls: more of them, or longer ones, are not repeated. */
const MOST_CALLS = 200;
const MOST_CHARACTERS = 20_000_000;
const MOST_MS = 2000;
const CALL_MS = 2000;

/**
 * Environments of a row, opened again, with the calls of its conversations made again; those that need functions of the
 * declaration or servers are left out. What calls changed counts only where each result and the last state are the stored ones.
 */
export async function replayedEnvironments(
  plan: Pick<Plan, 'environments' | 'seed' | 'templates' | 'fields'>,
  { names, columns, ...of }: ReplayedRow,
): Promise<ReadonlyMap<string, ReplayedEnvironment>> {
  const floats = new Set(plan.fields.flatMap(({ name, type }) => (type === 'float64' ? name : [])));
  const environments = (plan.environments ?? []).filter(({ name }) => names.has(name));
  const replayed = new Map<string, ReplayedEnvironment>();
  for (const [name, prepared] of prepareEnvironments({ ...plan, environments }, floats)) {
    try {
      const open = await prepared.open(of, NOTHING);
      try {
        const began = await open.snapshot();
        const own = columns.filter(({ environment }) => environment === name);
        replayed.set(name, { began, changes: await changesOf(own, { began, open, prepared, row: of.rowIndex }) });
      } finally {
        await open.close();
      }
    } catch {
      // Its state is not known.
    }
  }
  return replayed;
}

interface ReplayedWorld {
  readonly began: CellValue;
  readonly open: OpenEnvironment;
  readonly prepared: PreparedEnvironment;
  readonly row: number;
}

/** Makes the calls of columns again until something differs from what is stored. */
async function changesOf(
  columns: readonly ReplayedColumn[],
  world: ReplayedWorld,
): Promise<ReplayedEnvironment['changes']> {
  const changes = new Map<string, ReadonlyMap<number, StateChanges>>();
  const { open, prepared } = world;
  const names = new Map(open.tools.map(({ name }) => [`${prepared.toolPrefix ?? ''}${name}`, name]));
  const until = performance.now() + MOST_MS;
  let state = world.began;
  let characters = stringifyJson(state).length;
  let left = MOST_CALLS;
  for (const { column, calls, after } of columns) {
    const made = new Map<number, StateChanges>();
    for (const call of calls) {
      const name = names.get(call.name);
      if (name === undefined) continue;
      if (call.hasFailed) {
        made.set(call.number, NO_CHANGES);
        continue;
      }
      if (left-- <= 0 || characters > MOST_CHARACTERS || performance.now() > until) return changes;
      if ((await resultOf(call, name, world)) !== call.result) return changes;
      const next = await open.snapshot();
      characters += stringifyJson(next).length;
      made.set(call.number, stateChanges(state, next));
      state = next;
    }
    if (!isEqual(state, after)) return changes;
    changes.set(column, made);
  }
  return changes;
}

const NO_CHANGES: StateChanges = { changes: [], isCut: false };

/** The text of a call that is made again; undefined where it fails now. */
async function resultOf(
  { number, arguments: text }: MadeCall,
  name: string,
  { open, prepared, row }: ReplayedWorld,
): Promise<string | undefined> {
  const args: unknown = unboxed(tryParse(text, parseJson) ?? null);
  if (!isFields(args)) return undefined;
  try {
    const { text: given, failed } = await open.call({
      name,
      arguments: args,
      random: prepared.random.copy().at(row, 0, number + 1),
      signal: AbortSignal.timeout(CALL_MS),
      timeoutMs: CALL_MS,
      ask: () => Promise.reject(new DataDesignerError('run/aborted', { reason: 'models are asked in a run only' })),
    });
    return failed ? undefined : given;
  } catch {
    return undefined;
  }
}
