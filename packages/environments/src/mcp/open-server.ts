import { createHash } from 'node:crypto';
import {
  type CallOutcome,
  type CellValue,
  DataDesignerError,
  type Fields,
  fieldsOf,
  isFailure,
  isFields,
  isList,
  parseJson,
  stringifyJson,
  tryParse,
  unboxed,
} from '@data-designer/core';
import type {
  CallResult,
  EnvironmentCall,
  OpenEnvironment,
  OpenOptions,
  RecordedCalls,
  WorldServer,
} from '../environment-kind.ts';
import type { McpConfig } from './mcp-config.ts';
import { filesOf } from './row-files.ts';

/** Opens the world of a row: its server starts with the first call that is not recorded. */
export function openServer(config: McpConfig, options: OpenOptions): OpenEnvironment {
  const files = filesOf(config, options.values);
  return new ServerOfRow({ config, files, startServer: () => options.startServer(files) }, []);
}

/** What a world is made from. */
interface Origin {
  readonly config: McpConfig;
  readonly files: Readonly<Record<string, string>>;
  readonly startServer: () => WorldServer;
}

/** A call that the server has answered. */
interface MadeCall {
  readonly name: string;
  readonly arguments: Fields;
  readonly outcome: CallOutcome;
}

/** The time for a call that is made again, and for one that gives the state. */
const TIMEOUT_MS = 60_000;
const ANSWERED = 200;

/**
 * A world whose state follows from its files and its calls. The server is dropped where the world goes back, forks, or got no
 * answer; the next call starts another, which gets the calls again.
 */
class ServerOfRow implements OpenEnvironment {
  readonly tools: OpenEnvironment['tools'] = [];
  readonly recorded: RecordedCalls = {
    add: ({ name, arguments: args }, outcome) => this.#add({ name, arguments: args, outcome }),
    key: () => this.#key(),
  };
  readonly #origin: Origin;
  readonly #calls: MadeCall[];
  /** The numbers of calls at the marks. */
  readonly #marks: number[] = [];
  #server: WorldServer | undefined;
  /** The calls that the server has got. */
  #sent = 0;
  readonly #forks: ServerOfRow[] = [];

  constructor(origin: Origin, calls: readonly MadeCall[]) {
    this.#origin = origin;
    this.#calls = [...calls];
  }

  async call({ name, arguments: args, timeoutMs, signal }: EnvironmentCall): Promise<CallResult> {
    const drop = (): void => void this.#drop();
    signal.addEventListener('abort', drop, { once: true });
    try {
      const server = await this.#current();
      const outcome = await server.call(name, args, timeoutMs);
      if (!signal.aborted && outcome.status === ANSWERED) {
        this.#calls.push({ name, arguments: args, outcome });
        this.#sent++;
      } else void this.#drop();
      return { text: '', failed: outcome.status !== ANSWERED, outcome };
    } catch (thrown) {
      void this.#drop();
      if (!isFailure(thrown, 'tool/unavailable')) throw thrown;
      const { name: environment } = this.#origin.config;
      throw new DataDesignerError('environment/not-opened', { environment, reason: thrown.message }, { cause: thrown });
    } finally {
      signal.removeEventListener('abort', drop);
    }
  }

  mark(): void {
    this.#marks.push(this.#calls.length);
  }

  undo(): void {
    this.#calls.length = this.#marks.at(-1) ?? 0;
    if (this.#sent > this.#calls.length) void this.#drop();
  }

  release(): void {
    this.#marks.pop();
  }

  /** Attempts go one after the other, so that one server at a time is enough for a row. */
  fork(): OpenEnvironment {
    void this.#drop();
    for (const fork of this.#forks) void fork.#drop();
    const fork = new ServerOfRow(this.#origin, this.#calls);
    this.#forks.push(fork);
    return fork;
  }

  async snapshot(): Promise<CellValue> {
    const { snapshot } = this.#origin.config;
    const server = await this.#current();
    if (snapshot === 'files') return server.files();
    const { status, body } = await server.call(snapshot.tool, snapshot.arguments, TIMEOUT_MS);
    const result = status === ANSWERED ? fieldsOf(parseJson(body)) : undefined;
    if (result && result.isError !== true) return stateIn(result);
    throw new Error(`its tool '${snapshot.tool}' failed: ${shown(result ? stringifyJson(result.content) : body)}`);
  }

  close(): Promise<void> {
    return this.#drop();
  }

  #add(call: MadeCall): void {
    if (call.outcome.status === ANSWERED) this.#calls.push(call);
  }

  #key(): string {
    const { files, config } = this.#origin;
    const calls = this.#calls.map(({ name, arguments: args, outcome }) => [name, args, resultOf(outcome)]);
    return createHash('sha256')
      .update(stringifyJson([files, config.snapshot, calls]))
      .digest('hex');
  }

  /** The server, with all calls made. */
  async #current(): Promise<WorldServer> {
    const server = (this.#server ??= this.#origin.startServer());
    while (this.#sent < this.#calls.length) {
      const call = this.#calls[this.#sent];
      if (!call) break;
      const again = await server.call(call.name, call.arguments, TIMEOUT_MS);
      if (this.#server !== server)
        throw new DataDesignerError('run/aborted', { reason: 'the world of this row is closed' });
      const [before, now] = [resultOf(call.outcome), resultOf(again)];
      if (before !== now) {
        void this.#drop();
        const { name: environment } = this.#origin.config;
        const at = { environment, tool: call.name, call: this.#sent };
        throw new DataDesignerError('environment/not-repeatable', { ...at, before: shown(before), now: shown(now) });
      }
      this.#sent++;
    }
    return server;
  }

  async #drop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#sent = 0;
    await server?.stop();
  }
}

/** What a model sees of an outcome, to compare it with another one. */
function resultOf({ status, body }: CallOutcome): string {
  if (status !== ANSWERED) return body;
  const { content, structuredContent, isError } = fieldsOf(parseJson(body));
  return stringifyJson({ content, structuredContent, isError: isError === true });
}

/** The state in the result of a tool: its structured content, else its text, read as JSON where it is some. */
function stateIn({ structuredContent, content }: Fields): CellValue {
  if (isFields(structuredContent)) return unboxed(structuredContent as CellValue);
  const texts = isList(content as CellValue)
    ? (content as readonly unknown[]).flatMap((part) =>
        isFields(part) && typeof part.text === 'string' ? part.text : [],
      )
    : [];
  const text = texts.join('\n');
  return (tryParse(text, JSON.parse) as CellValue | undefined) ?? text;
}

const MOST_SHOWN = 200;

function shown(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
