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
  /** Ends the servers of a row. */
  endRow(row: number): Promise<void>;
  /** Ends all; later work is refused. */
  end(): Promise<void>;
}

/** The servers that rows have for themselves, by tool resource: child processes, each with a folder of its own. */
export class RowServers implements AsyncDisposable {
  readonly #starts: ReadonlyMap<string, ToolProvider>;
  readonly #options: RowServersOptions;
  readonly #folders = new RowFolders();
  readonly #groups = new Set<ServersOfGroup>();
  readonly #listings = new Map<string, Promise<readonly ToolSchema[]>>();

  constructor(starts: ReadonlyMap<string, ToolProvider>, options: RowServersOptions) {
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

  ofGroup(): GroupServers {
    const group = new ServersOfGroup((resource, files) => this.#server(resource, files));
    this.#groups.add(group);
    return group;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#groups].map((group) => group.end()));
    await Promise.allSettled(this.#listings.values());
    await this.#folders[Symbol.asyncDispose]();
  }

  async #list(resource: string): Promise<readonly ToolSchema[]> {
    const server = this.#server(resource, {});
    const prefix = this.#provider(resource).toolPrefix;
    try {
      const { schemas } = await server.listTools();
      return prefix === undefined ? schemas : schemas.map((schema) => ({ ...schema, prefix }));
    } finally {
      await server.stop();
    }
  }

  #server(resource: string, files: Readonly<Record<string, string>>): RowServer {
    return new RowServer({ provider: this.#provider(resource), files, folders: this.#folders, ...this.#options });
  }

  #provider(resource: string): StdioToolProvider {
    const provider = this.#starts.get(resource);
    if (provider?.providerType === 'stdio') return provider;
    const reason = 'only a server that is started as a child process can belong to a row';
    throw new DataDesignerError('tool/unavailable', { provider: provider?.name ?? resource, reason });
  }
}

type StartServer = (resource: string, files: Readonly<Record<string, string>>) => RowServer;

class ServersOfGroup implements GroupServers {
  readonly #start: StartServer;
  readonly #servers = new Map<number, { readonly row: number; readonly server: RowServer }>();
  readonly #leaving = new Set<Promise<void>>();
  #isOver = false;

  constructor(start: StartServer) {
    this.#start = start;
  }

  async serve({ server: id, row }: ServerOfRow, work: ServerWork): Promise<CallOutcome | object | undefined> {
    if (work.do === 'start') {
      if (this.#isOver) throw new DataDesignerError('run/aborted', { reason: 'the row group is closed' });
      const server = this.#start(work.resource, work.files);
      this.#servers.set(id, { row, server });
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
    await this.#stopAll((one) => one === row);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#stopAll(() => true);
    await Promise.all(this.#leaving);
  }

  async #stopAll(isOver: (row: number) => boolean): Promise<void> {
    const over = [...this.#servers].filter(([, { row }]) => isOver(row));
    await Promise.all(over.map(([id]) => this.#stop(id)));
  }

  async #stop(id: number): Promise<void> {
    const server = this.#servers.get(id)?.server;
    if (!server) return;
    this.#servers.delete(id);
    const leaving = server.stop().finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
    await leaving;
  }
}
