import { type CallOutcome, DataDesignerError, type ServerWork, type ToolSchema } from '@data-designer/core';
import type { StdioToolProvider, ToolProvider } from './provider.ts';
import { RowFolders } from './row-folders.ts';
import { RowServer, type RowServersOptions } from './row-server.ts';

/** A server of a row, by the number that its row group gives it. */
interface ServerOfRow {
  readonly server: number;
  readonly row: number;
}

/** The servers of one row group, which its rows have for themselves. */
export interface GroupServers {
  /** Does what a row wants of one of its servers. */
  serve(of: ServerOfRow, work: ServerWork): Promise<unknown>;
  /** Ends the servers of a row; settles once their processes have ended. */
  endRow(row: number): Promise<void>;
  /** Ends all; later work is refused. */
  end(): Promise<void>;
}

/** The provider that is started, and the name that its folders have. */
interface RowServerStart {
  readonly provider: ToolProvider;
  readonly name: string;
}

/** The servers that rows have for themselves, by tool resource: child processes, each with a folder of its own. */
export class RowServers implements AsyncDisposable {
  readonly #starts: ReadonlyMap<string, RowServerStart>;
  readonly #options: RowServersOptions;
  /** Its row groups share the folders of their dataset. */
  readonly #folders = new Map<string | undefined, RowFolders>();
  readonly #groups = new Set<ServersOfGroup>();
  readonly #listings = new Map<string, Promise<readonly ToolSchema[]>>();

  constructor(starts: ReadonlyMap<string, RowServerStart>, options: RowServersOptions) {
    this.#starts = starts;
    this.#options = options;
  }

  has(resource: string): boolean {
    return this.#starts.has(resource);
  }

  /** The tools of a resource, listed once, by a server with an empty folder that then ends; rejects with `tool/unavailable`. */
  listTools(resource: string): Promise<readonly ToolSchema[]> {
    const known = this.#listings.get(resource);
    if (known) return known;
    const listing = this.#list(resource);
    this.#listings.set(resource, listing);
    listing.catch(() => this.#listings.delete(resource));
    return listing;
  }

  /** `home`: what stands for the dataset of the group; none in a check. */
  ofGroup(home?: string): GroupServers {
    const group = new ServersOfGroup((start) => this.#server({ ...start, home }));
    this.#groups.add(group);
    return group;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#groups].map((group) => group.end()));
    await Promise.allSettled(this.#listings.values());
    await Promise.all([...this.#folders.values()].map((folders) => folders[Symbol.asyncDispose]()));
  }

  async #list(resource: string): Promise<readonly ToolSchema[]> {
    const server = this.#server({ resource, files: {}, row: 'list', home: undefined });
    const { provider } = this.#startOf(resource);
    try {
      const { schemas } = await server.listTools();
      const prefix = provider.toolPrefix;
      return prefix === undefined ? schemas : schemas.map((schema) => ({ ...schema, prefix }));
    } finally {
      await server.stop();
    }
  }

  #server({ resource, files, row, home }: OwnStart & { readonly home: string | undefined }): RowServer {
    const { provider, name } = this.#startOf(resource);
    const folders = this.#folders.get(home) ?? new RowFolders(home);
    this.#folders.set(home, folders);
    return new RowServer({ provider, files, folders, name: `${row}-${name}`, ...this.#options });
  }

  #startOf(resource: string): { readonly provider: StdioToolProvider; readonly name: string } {
    const { provider, name = resource } = this.#starts.get(resource) ?? {};
    if (provider?.providerType === 'stdio') return { provider, name };
    const reason = 'only a server that is started as a child process can belong to a row';
    throw new DataDesignerError('tool/unavailable', { provider: provider?.name ?? resource, reason });
  }
}

/** Whose server is started, and with what. */
interface OwnStart {
  readonly resource: string;
  readonly row: number | string;
  readonly files: Readonly<Record<string, string>>;
}

type StartServer = (start: OwnStart) => RowServer;

class ServersOfGroup implements GroupServers {
  readonly #start: StartServer;
  readonly #servers = new Map<
    number,
    { readonly row: number; readonly resource: string; readonly server: RowServer }
  >();
  /** What ends servers, with the row of each. */
  readonly #leaving = new Map<Promise<void>, number>();
  #isOver = false;

  constructor(start: StartServer) {
    this.#start = start;
  }

  async serve({ server: id, row }: ServerOfRow, work: ServerWork): Promise<CallOutcome | object | undefined> {
    if (work.do === 'start') {
      if (this.#isOver) throw new DataDesignerError('run/aborted', { reason: 'the row group is closed' });
      const { resource, files } = work;
      // A world that goes back, or an attempt, has another server in the same folder.
      await this.#stopAll((one) => one.row === row && one.resource === resource);
      const server = this.#start({ resource, row, files });
      this.#servers.set(id, { row, resource, server });
      await server.prepare();
      return undefined;
    }
    const server = this.#servers.get(id)?.server;
    if (work.do === 'stop') {
      await this.#stop(id);
      return undefined;
    }
    if (!server) throw new DataDesignerError('run/aborted', { reason: 'the server of this row has ended' });
    return work.do === 'call' ? server.call(work.body, work) : server.files();
  }

  async endRow(row: number): Promise<void> {
    await this.#stopAll((one) => one.row === row);
    // A world that was closed before its row may still be ending its server.
    await Promise.all([...this.#leaving].filter(([, of]) => of === row).map(([leaving]) => leaving));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#stopAll(() => true);
    await Promise.all(this.#leaving.keys());
  }

  async #stopAll(isOver: (one: { readonly row: number; readonly resource: string }) => boolean): Promise<void> {
    const over = [...this.#servers].filter(([, one]) => isOver(one));
    await Promise.all(over.map(([id]) => this.#stop(id)));
  }

  async #stop(id: number): Promise<void> {
    const found = this.#servers.get(id);
    if (!found) return;
    this.#servers.delete(id);
    const leaving = found.server.stop().finally(() => this.#leaving.delete(leaving));
    this.#leaving.set(leaving, found.row);
    await leaving;
  }
}
