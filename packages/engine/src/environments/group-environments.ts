import {
  attemptOfCall,
  type Call,
  type CallOutcome,
  DataDesignerError,
  type Fields,
  fieldsOf,
  isFailure,
  type Gateway,
  type OutcomeJournal,
  parseJson,
  type Plan,
  ROWS_WITH_SERVERS,
  type RowServers,
  stringifyJson,
  toolsOf,
  type ToolSchema,
  type UntimedCall,
  wellFormedJson,
} from '@data-designer/core';
import { type EnvironmentCall, isUnanswered, unanswered } from '@data-designer/environments';
import { keptOutcome } from '@data-designer/mcp';
import type { ModelRegistry } from '@data-designer/models';
import { callIn, type Functions } from '../functions/functions.ts';
import { type PreparedEnvironment, prepareEnvironments, type Reach } from './prepare-environments.ts';
import { startServer } from './start-server.ts';
import type { World } from './world.ts';
import { WorldQuestions } from './world-questions.ts';

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
  readonly gateway: Gateway & Partial<OutcomeJournal & RowServers>;
  readonly functions: Functions | undefined;
  readonly models: ModelRegistry;
  /** Aborts the requests of worlds. */
  readonly signal: AbortSignal;
}

/** The call number by which a row with servers is admitted: no cell has it, and the row itself has another one. */
const ROW_CALL = 1;

/** The environments of a row group: finds the world of a tool call by its address. */
export class GroupEnvironments {
  readonly #parts: GroupParts;
  readonly #prepared: ReadonlyMap<string, PreparedEnvironment>;
  /** The environments that no later column uses, by column. */
  readonly #lastUses = new Map<string, readonly string[]>();
  /** The environments by the resources of their calls. */
  readonly #byResource: ReadonlyMap<string, string>;
  /** The worlds of the cells that are made, by the key of the cell and the name of the environment. */
  readonly #worlds = new Map<string, World>();
  readonly #questions: WorldQuestions;

  constructor(plan: Plan, parts: GroupParts) {
    this.#parts = parts;
    this.#questions = new WorldQuestions(plan, parts);
    this.#prepared = prepareEnvironments(plan, parts.floats);
    const used = new Set<string>();
    for (const { name, environments = [] } of plan.columns.toReversed()) {
      const last = environments.filter((one) => !used.has(one));
      if (last.length > 0) this.#lastUses.set(name, last);
      for (const one of last) used.add(one);
    }
    this.#byResource = new Map([...this.#prepared.keys()].map((name) => [toolsOf(name), name]));
  }

  /** An environment by its name. */
  prepared(name: string): PreparedEnvironment {
    const found = this.#prepared.get(name);
    if (found) return found;
    throw new DataDesignerError('internal/unexpected', { reason: `the plan has no environment '${name}'` });
  }

  /** The environments that no column after this one uses. */
  lastUsedBy(column: string): readonly string[] {
    return this.#lastUses.get(column) ?? [];
  }
  /** Whether an environment has the tools of its row. */
  hasRowTools(name: string): boolean {
    const prepared = this.#prepared.get(name);
    return prepared !== undefined && !prepared.isListed && prepared.tools === undefined;
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

  /** What the world of a row can reach. */
  reachOf(name: string, row: number): Reach {
    const { functions, gateway } = this.#parts;
    return {
      callFunction: (handle, args, given) => callIn(functions, handle, [args, { given }]),
      startServer: (files) => startServer(gateway, { row, resource: toolsOf(name), files }),
    };
  }

  /** Lets a row have worlds of which only some rows may have one; returns what ends that. */
  async admitRow(row: number): Promise<() => void> {
    const at = { row, column: '', call: ROW_CALL };
    await this.#parts.gateway.admit(ROWS_WITH_SERVERS, at);
    return () => this.#parts.gateway.cancel(at);
  }

  /** The recorded outcome of work, as that of a tool; without one that of `work`, recorded first. */
  async recorded(call: UntimedCall, work: () => Promise<CallOutcome>): Promise<CallOutcome> {
    const { gateway } = this.#parts;
    return gateway.journal ? gateway.journal(call, work) : work();
  }

  /** The gateway, with the tools of environments among its tools. */
  toolGateway(): Gateway {
    const { gateway } = this.#parts;
    const prepared = this.#prepared;
    return {
      admit: (resource, at) => gateway.admit(resource, at),
      cancel: (what) => gateway.cancel(what),
      listTools: async (provider): Promise<readonly ToolSchema[]> =>
        prepared.get(provider)?.tools ??
        (prepared.get(provider)?.isListed === false ? [] : gateway.listTools(provider)),
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
      const now: { outcome?: CallOutcome } = {};
      const run = () => runIn(world, call, this.#questions.during(call, world.prepared));
      const work = async () => (now.outcome = await run());
      const at = { row, column, call: number, resource, path, body };
      const known = await this.recorded(at, work).catch(async (thrown: unknown) => {
        // A call that ended its thread is in no journal: a dry replay makes it, to find the cell.
        if (isFailure(thrown, 'journal/ends') && !world.open.recorded) await run();
        throw thrown;
      });
      // A call that gave no answer in time changed nothing, so it is not made again: it could be faster.
      if (known === now.outcome || isUnanswered(known)) return known;
      const { recorded } = world.open;
      if (recorded && !now.outcome) {
        recorded.add(requestOf(body), known);
        return known;
      }
      const outcome = now.outcome ?? (await run());
      if (known.body === outcome.body) return known;
      throw new DataDesignerError('environment/not-repeatable', {
        environment: name,
        tool: requestOf(body).name,
        call: number,
        before: shown(known.body),
        now: shown(outcome.body),
      });
    });
  }
}

/** Runs a tool; its result as an outcome of MCP, or that there was none in time. The time of models is not the tool's. */
async function runIn(
  world: World,
  { body, row, call, timeoutMs }: Call,
  askModel: EnvironmentCall['ask'],
): Promise<CallOutcome> {
  const { prepared, open } = world;
  const random = prepared.random.copy().at(row, 0, call + 1);
  const late = new AbortController();
  const { signal } = late;
  const started = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let asking = 0;
  const { promise: inTime, resolve } = Promise.withResolvers<undefined>();
  const startTimer = () => {
    timer = setTimeout(() => {
      late.abort();
      resolve(undefined);
    }, timeoutMs);
  };
  const ask: EnvironmentCall['ask'] = async (question) => {
    signal.throwIfAborted();
    asking++;
    clearTimeout(timer);
    try {
      return await askModel(question);
    } finally {
      if (--asking === 0) startTimer();
    }
  };
  startTimer();
  const work = open.call({ ...requestOf(body), random, signal, timeoutMs, ask });
  const given = await Promise.race([work, inTime]).finally(() => clearTimeout(timer));
  if (!given) return unanswered(`no answer within ${Math.round(timeoutMs)} ms`);
  const { text, failed, outcome } = given;
  if (outcome) return keptOutcome(outcome, performance.now() - started);
  const result = { content: [{ type: 'text', text }], ...(failed && { isError: true }) };
  return { status: 200, headers: {}, body: wellFormedJson(stringifyJson(result)) };
}

function requestOf(body: string): { readonly name: string; readonly arguments: Fields } {
  const { name, arguments: args } = fieldsOf(parseJson(body));
  return { name: String(name), arguments: fieldsOf(args) };
}

const MOST_SHOWN = 200;

function shown(body: string): string {
  return body.length > MOST_SHOWN ? `${body.slice(0, MOST_SHOWN)}…` : body;
}

function keyOf({ row, column, attempt, name }: { row: number; column: string; attempt: number; name: string }): string {
  return `${row}/${attempt}/${name}/${column}`;
}
