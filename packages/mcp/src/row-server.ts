import {
  type CallOutcome,
  DataDesignerError,
  isFailure,
  messageOf,
  type Redact,
  type ShownFile,
} from '@data-designer/core';
import { messageForModel } from './opening-advice.ts';
import { inRowFolder } from './in-row-folder.ts';
import type { StdioToolProvider } from './provider.ts';
import { filesIn, writeFiles } from './row-files.ts';
import type { RowFolders } from './row-folders.ts';
import { openSession } from './session-slot.ts';
import { failedCallOutcome } from './tool-outcome.ts';
import { readToolRequest } from './tool-request.ts';
import type { ListedTools, ToolSession } from './tool-session.ts';
import { toOutcome } from './tool-sessions.ts';

/** The options of the servers of rows. */
export interface RowServersOptions {
  /** Redacts a server's error texts. */
  readonly redact: Redact;
  /** The time for the start of a server; 30 s unless given. A provider's own time wins. */
  readonly handshakeTimeoutMs?: number | undefined;
  /** How long a server may take to end by itself, and again after SIGTERM; 2 s unless given. */
  readonly graceMs?: number | undefined;
}

/** What a server of a row is started with. */
interface RowServerOptions extends RowServersOptions {
  readonly provider: StdioToolProvider;
  readonly files: Readonly<Record<string, string>>;
  readonly folders: RowFolders;
  /** The name of its folder among those. */
  readonly name: string;
}

/** The server of one row: its folder is written first, its process starts with the first call, and a lost one stays lost. */
export class RowServer {
  readonly #options: RowServerOptions;
  readonly #end = new AbortController();
  #folder: Promise<string> | undefined;
  #session: Promise<ToolSession> | undefined;

  constructor(options: RowServerOptions) {
    this.#options = options;
  }

  /** Writes the files of its folder; rejects with `tool/unavailable`. */
  async prepare(): Promise<string> {
    return (this.#folder ??= this.#write());
  }

  /** The tools of the server; rejects with `tool/unavailable`. */
  async listTools(): Promise<ListedTools> {
    return (await this.#opened()).listTools();
  }

  /** Calls a tool; rejects where the server could not be started. */
  async call(body: string, { timeoutMs }: { readonly timeoutMs: number }): Promise<CallOutcome> {
    const session = await this.#opened();
    const { name, arguments: args } = readToolRequest(body);
    try {
      return toOutcome(await session.callTool(name, args, { timeoutMs, signal: this.#end.signal }));
    } catch (thrown) {
      if (isFailure(thrown, 'run/aborted')) throw thrown;
      return failedCallOutcome('connection', messageForModel(thrown));
    }
  }

  /** The files of its folder, by path. */
  async files(): Promise<Readonly<Record<string, ShownFile>>> {
    return filesIn(await this.prepare());
  }

  /** Ends the process, and removes the folder. */
  async stop(): Promise<void> {
    this.#end.abort(new Error('the row of this server is over'));
    const session = await this.#session?.catch(() => undefined);
    await session?.[Symbol.asyncDispose]();
    if (!this.#folder) return;
    await this.#folder.catch(() => undefined);
    await this.#options.folders.remove(this.#options.name);
  }

  async #write(): Promise<string> {
    const { folders, name, files, provider } = this.#options;
    try {
      const folder = await folders.add(name);
      await writeFiles(folder, files);
      return folder;
    } catch (thrown) {
      const reason = `its folder cannot be written: ${messageOf(thrown)}`;
      throw new DataDesignerError('tool/unavailable', { provider: provider.name, reason }, { cause: thrown });
    }
  }

  #opened(): Promise<ToolSession> {
    return (this.#session ??= this.#open());
  }

  async #open(): Promise<ToolSession> {
    const { provider, redact, handshakeTimeoutMs, graceMs } = this.#options;
    const own = inRowFolder(provider, await this.prepare());
    return openSession(own, { redact, handshakeTimeoutMs, graceMs, signal: this.#end.signal });
  }
}
