import {
  attemptOfCall,
  type Call,
  type CallOutcome,
  DataDesignerError,
  type Fields,
  fieldsOf,
  type FunctionHandle,
  type Gateway,
  type OutcomeJournal,
  parseJson,
  type Plan,
  stringifyJson,
  toolsOf,
  type ToolSchema,
  wellFormedJson,
} from '@data-designer/core';
import { callIn, type Functions } from '../functions/functions.ts';
import { type PreparedEnvironment, prepareEnvironments } from './prepare-environments.ts';
import type { World } from './world.ts';

/** The cell that uses worlds, by its address. */
interface EnteredCell {
  readonly row: number;
  readonly column: string;
  readonly attempt: number | undefined;
}

/** What the environments of a row group reach. */
export interface GroupParts {
  /** The columns whose integral numbers are floats. */
  readonly floats: ReadonlySet<string>;
  readonly gateway: Gateway & Partial<OutcomeJournal>;
  readonly functions: Functions | undefined;
}

/** The status of a call that gave no answer in time. */
const NO_ANSWER = 504;

/** The environments of a row group: finds the world of a tool call by its address. */
export class GroupEnvironments {
  readonly #parts: GroupParts;
  readonly #prepared: ReadonlyMap<string, PreparedEnvironment>;
  /** The environments by the resources of their calls. */
  readonly #byResource: ReadonlyMap<string, string>;
  /** The worlds of the cells that are made, by the key of the cell and the name of the environment. */
  readonly #worlds = new Map<string, World>();

  constructor(plan: Plan, parts: GroupParts) {
    this.#parts = parts;
    this.#prepared = prepareEnvironments(plan, parts.floats);
    this.#byResource = new Map([...this.#prepared.keys()].map((name) => [toolsOf(name), name]));
  }

  /** An environment by its name. */
  prepared(name: string): PreparedEnvironment {
    const found = this.#prepared.get(name);
    if (found) return found;
    throw new DataDesignerError('internal/unexpected', { reason: `the plan has no environment '${name}'` });
  }

  /** Whether an environment has the tools of its row. */
  hasRowTools(name: string): boolean {
    return this.#prepared.get(name)?.tools === undefined && this.#prepared.has(name);
  }

  /** Lets the calls of a cell find its worlds until the returned function is called. */
  enter({ row, column, attempt = 0 }: EnteredCell, worlds: readonly World[]): () => void {
    const keys = worlds.map((world) => {
      const key = keyOf({ row, column, attempt, name: world.prepared.name });
      this.#worlds.set(key, world);
      return key;
    });
    return () => {
      for (const key of keys) this.#worlds.delete(key);
    };
  }

  callFunction(handle: FunctionHandle, args: readonly unknown[], given: Fields): Promise<unknown> {
    return callIn(this.#parts.functions, handle, [args, { given }]);
  }

  /** The gateway, with the tools of environments among its tools. */
  toolGateway(): Gateway {
    const { gateway } = this.#parts;
    const prepared = this.#prepared;
    return {
      admit: (resource, at) => gateway.admit(resource, at),
      cancel: (what) => gateway.cancel(what),
      listTools: async (provider): Promise<readonly ToolSchema[]> =>
        prepared.get(provider)?.tools ?? (prepared.has(provider) ? [] : gateway.listTools(provider)),
      call: (call) => {
        const name = this.#byResource.get(call.resource);
        return name === undefined ? gateway.call(call) : this.#call(name, call);
      },
    };
  }

  /** Runs a call in the world of its cell, then compares it with the journal or writes it there. */
  #call(name: string, call: Call): Promise<CallOutcome> {
    const { row, column, call: number, resource, path, body } = call;
    const world = this.#worlds.get(keyOf({ row, column, attempt: attemptOfCall(number), name }));
    // A call of a cell that is over reaches no world.
    if (!world) return Promise.reject(new DataDesignerError('run/aborted', { reason: 'the cell is finished' }));
    return world.call(async () => {
      const { gateway } = this.#parts;
      const now: { outcome?: CallOutcome } = {};
      const work = async () => (now.outcome = await runIn(world, call));
      const known = gateway.journal
        ? await gateway.journal({ row, column, call: number, resource, path, body }, work)
        : await work();
      // A call that gave no answer in time changed nothing, so it is not made again: it could be faster.
      if (known === now.outcome || known.status === NO_ANSWER) return known;
      const outcome = now.outcome ?? (await runIn(world, call));
      if (known.body === outcome.body) return known;
      throw new DataDesignerError('environment/not-repeatable', {
        environment: name,
        tool: String(fieldsOf(parseJson(body)).name),
        call: number,
        before: shown(known.body),
        now: shown(outcome.body),
      });
    });
  }
}

/** Runs a tool; its result as an outcome of MCP, or that there was none in time. */
async function runIn(world: World, { body, row, call, timeoutMs }: Call): Promise<CallOutcome> {
  const { prepared, open } = world;
  const { name, arguments: args } = fieldsOf(parseJson(body));
  const random = prepared.random.copy().at(row, 0, call + 1);
  const late = new AbortController();
  const tool = { name: String(name), arguments: fieldsOf(args), random, signal: late.signal };
  let timer: NodeJS.Timeout | undefined;
  const inTime = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      late.abort();
      resolve(undefined);
    }, timeoutMs);
  });
  const given = await Promise.race([open.call(tool), inTime]).finally(() => clearTimeout(timer));
  if (!given) return { status: NO_ANSWER, headers: {}, body: `no answer within ${Math.round(timeoutMs)} ms` };
  const { text, failed } = given;
  const result = { content: [{ type: 'text', text }], ...(failed && { isError: true }) };
  return { status: 200, headers: {}, body: wellFormedJson(stringifyJson(result)) };
}

const MOST_SHOWN = 200;

function shown(body: string): string {
  return body.length > MOST_SHOWN ? `${body.slice(0, MOST_SHOWN)}…` : body;
}

function keyOf({ row, column, attempt, name }: { row: number; column: string; attempt: number; name: string }): string {
  return `${row}/${attempt}/${name}/${column}`;
}
