import {
  ATTEMPT_CALLS,
  type CellValue,
  DataDesignerError,
  type Gateway,
  isFailure,
  messageOf,
  parseJson,
  type Plan,
  type Row,
  stringifyJson,
  type ToolBox,
  toolsOf,
  unboxed,
  type WrittenValues,
} from '@data-designer/core';
import type { MCPFacade } from '@data-designer/mcp';
import { GroupEnvironments, type GroupParts } from './group-environments.ts';
import { schemaOf } from './environment-tools.ts';
import { World } from './world.ts';

/** The number of the call, in its attempt, that records the state of a cell's first world. */
const STATE_CALLS = 1_000_000;

/** The cell that uses worlds. */
interface CellOfRow {
  readonly column: string;
  /** The environments that it uses. */
  readonly names: readonly string[];
  readonly row: Row;
  readonly attempt: number | undefined;
}

/** The worlds of one row, or of one attempt at a block of it: opened at their first use, and closed with the row. */
export class RowEnvironments {
  readonly #group: GroupEnvironments;
  readonly #rowIndex: number;
  readonly #worlds: Map<string, World>;
  readonly #place: Place;
  readonly #isAttempt: boolean;
  /** The worlds of attempts that are not closed. */
  readonly #attempts = new Set<RowEnvironments>();
  #isClosed = false;

  constructor(group: GroupEnvironments, rowIndex: number, attempt?: ForkedWorlds) {
    this.#group = group;
    this.#rowIndex = rowIndex;
    this.#worlds = attempt?.worlds ?? new Map();
    this.#isAttempt = attempt !== undefined;
    this.#place = attempt?.place ?? new Place(() => group.admitRow(rowIndex));
  }

  /** Makes a cell that uses worlds, and adds their state to what it writes; a cell that fails leaves them as they were. */
  async makeCell(cell: CellOfRow, make: () => WrittenValues | Promise<WrittenValues>): Promise<WrittenValues> {
    const worlds: World[] = [];
    for (const name of cell.names) worlds.push(await this.#worldOf(name, cell.row));
    return this.#marked(worlds, async () => {
      const { column, attempt } = cell;
      const leave = this.#group.enter({ row: this.#rowIndex, column, attempt }, worlds);
      try {
        return [...(await make()), await this.#stateOf(worlds, cell)];
      } finally {
        leave();
      }
    });
  }

  /** Runs work on worlds as they were when their cell began. */
  async fromStart<Made>(names: readonly string[], work: () => Made | Promise<Made>): Promise<Made> {
    await undo(this.#named(names));
    return work();
  }

  /** Runs a question: one after the other on each world, and without effect where it fails. */
  ask<Made>(names: readonly string[], work: () => Promise<Made>): Promise<Made> {
    // Two questions that name the same worlds in another order must not wait for each other.
    const worlds = this.#named(names.toSorted());
    const alone = () => this.#marked(worlds, work);
    return worlds.reduceRight<() => Promise<Made>>((run, world) => () => world.ask(run), alone)();
  }

  /** The tools of an alias, with those that this row brings. */
  toolBox(tools: MCPFacade): ToolBox {
    if (!tools.providers.some((name) => this.#group.hasRowTools(name))) return tools;
    const gateway = this.#group.toolGateway();
    return tools.with({
      ...gateway,
      listTools: async (name) =>
        this.#group.hasRowTools(name)
          ? (this.#worlds.get(name)?.open.tools.map((tool) => schemaOf(tool, this.#group.prepared(name))) ?? [])
          : gateway.listTools(name),
    });
  }

  /** The worlds for an attempt: those of these names as they are now. */
  fork(names: ReadonlySet<string>): RowEnvironments {
    const forked = [...this.#worlds]
      .filter(([name]) => names.has(name))
      .map(([name, { prepared, open }]) => [name, new World(prepared, open.fork())] as const);
    const attempt = new RowEnvironments(this.#group, this.#rowIndex, { worlds: new Map(forked), place: this.#place });
    attempt.#isClosed = this.#isClosed;
    this.#attempts.add(attempt);
    return attempt;
  }

  /** Ends all attempts, and takes the worlds of one of them in place of its own. */
  adopt(attempt: RowEnvironments | undefined): void {
    if (attempt) {
      for (const [name, world] of attempt.#worlds) {
        this.#end(this.#worlds.get(name));
        this.#worlds.set(name, world);
      }
      attempt.#worlds.clear();
    }
    this.#closeAttempts();
  }

  /** Closes the worlds that no column after this one uses: others of few at a time must not wait for the row's end. */
  leaveColumn(column: string): void {
    for (const name of this.#group.lastUsedBy(column)) {
      this.#end(this.#worlds.get(name));
      this.#worlds.delete(name);
      this.#place.leave(name);
    }
  }

  /** Closes all worlds once their calls have ended; a cell that still runs opens no other. */
  close(): void {
    this.#isClosed = true;
    if (!this.#isAttempt) this.#place.end();
    for (const world of this.#worlds.values()) this.#end(world);
    this.#worlds.clear();
    this.#closeAttempts();
  }

  /** Runs work that has no effect on worlds where it fails. */
  async #marked<Made>(worlds: readonly World[], work: () => Promise<Made>): Promise<Made> {
    for (const world of worlds) world.mark();
    try {
      return await work();
    } catch (thrown) {
      await undo(worlds);
      throw thrown;
    } finally {
      for (const world of worlds) world.release();
    }
  }

  /** The state of the only world, or of several by name. */
  async #stateOf(worlds: readonly World[], cell: CellOfRow): Promise<CellValue> {
    const states = await Promise.all(
      worlds.map(
        async (world, index) => [world.prepared.name, await this.#snapshotOf(world, { cell, index })] as const,
      ),
    );
    return states.length === 1 ? (states[0]?.[1] ?? null) : Object.fromEntries(states);
  }

  /** The state of a world; recorded where the world goes on from recorded calls. */
  async #snapshotOf(world: World, { cell, index }: { cell: CellOfRow; index: number }): Promise<CellValue> {
    const { name } = world.prepared;
    const { recorded } = world.open;
    const snapshot = async () => {
      try {
        return await world.call(() => world.open.snapshot());
      } catch (thrown) {
        if (thrown instanceof DataDesignerError && thrown.code !== 'tool/unavailable') throw thrown;
        const reason = messageOf(thrown);
        throw new DataDesignerError('environment/no-snapshot', { environment: name, reason }, { cause: thrown });
      }
    };
    if (!recorded) return snapshot();
    const call = (cell.attempt ?? 0) * ATTEMPT_CALLS + STATE_CALLS + index;
    const at = { row: this.#rowIndex, column: cell.column, call, resource: toolsOf(name), path: 'state' };
    const { body } = await this.#group.recorded({ ...at, body: recorded.key() }, async () => {
      return { status: 200, headers: {}, body: stringifyJson(await snapshot()) };
    });
    return unboxed(parseJson(body));
  }

  #end(world: World | undefined): void {
    if (world) this.#place.note(world.close());
  }

  #closeAttempts(): void {
    for (const attempt of this.#attempts) attempt.close();
    this.#attempts.clear();
  }

  #named(names: readonly string[]): readonly World[] {
    return names.flatMap((name) => this.#worlds.get(name) ?? []);
  }

  async #worldOf(name: string, row: Row): Promise<World> {
    const known = this.#worlds.get(name);
    if (known) return known;
    const prepared = this.#group.prepared(name);
    if (prepared.isCapped) await this.#place.take(name);
    try {
      const open = await prepared.open({ row, rowIndex: this.#rowIndex }, this.#group.reachOf(name, this.#rowIndex));
      const world = new World(prepared, open);
      if (this.#isClosed) {
        this.#end(world);
        throw new DataDesignerError('run/aborted', { reason: 'the row of this world is finished' });
      }
      this.#worlds.set(name, world);
      return world;
    } catch (thrown) {
      if (thrown instanceof DataDesignerError && !isFailure(thrown, 'function/threw')) throw thrown;
      const reason = messageOf(thrown);
      throw new DataDesignerError('environment/not-opened', { environment: name, reason }, { cause: thrown });
    }
  }
}

/** Returns to the last marks, once no call runs. */
async function undo(worlds: readonly World[]): Promise<void> {
  for (const world of worlds) await world.undo();
}

/** The worlds that an attempt begins with. */
interface ForkedWorlds {
  readonly worlds: Map<string, World>;
  readonly place: Place;
}

/** The place of a row among those that may have capped worlds; its attempts share it. */
class Place {
  readonly #admit: () => Promise<() => void>;
  /** The environments that need it. */
  readonly #users = new Set<string>();
  #taken: Promise<() => void> | undefined;
  /** Ends with the worlds that are being closed. */
  #closing: Promise<unknown> = Promise.resolve();
  #isOver = false;

  constructor(admit: () => Promise<() => void>) {
    this.#admit = admit;
  }

  async take(environment: string): Promise<void> {
    this.#users.add(environment);
    await (this.#taken ??= this.#admit());
  }

  /** The row is over: the gateway gives its place up once its servers have ended. */
  end(): void {
    this.#isOver = true;
  }

  /** Notes a world that is being closed. */
  note(closed: Promise<void>): void {
    this.#closing = Promise.all([this.#closing, closed]);
  }

  /** Gives the place up where no other environment needs it, once its worlds are closed; the end of the row does that too. */
  leave(environment: string): void {
    if (!this.#users.delete(environment) || this.#users.size > 0) return;
    const [taken, closing] = [this.#taken, this.#closing];
    this.#taken = undefined;
    taken?.then(
      (leave) => closing.then(() => this.#isOver || leave()),
      () => undefined,
    );
  }
}

/** The environments of a row group. */
export interface Environments {
  /** The gateway, with the tools of environments among its tools. */
  readonly gateway: Gateway;
  /** The worlds of a row. */
  readonly ofRow: (rowIndex: number) => RowEnvironments;
}

/** The environments of a plan for a row group. */
export function openEnvironments(plan: Plan, parts: GroupParts): Environments {
  const group = new GroupEnvironments(plan, parts);
  return { gateway: group.toolGateway(), ofRow: (rowIndex) => new RowEnvironments(group, rowIndex) };
}
