import {
  type Address,
  ATTEMPT_CALLS,
  type BatchQuestion,
  besideWorldCalls,
  type CallContext,
  type ChatMessage,
  DataDesignerError,
  type EmbeddingQuestion,
  type FailureCode,
  type FunctionHandle,
  FUNCTIONS,
  type FunctionUse,
  type ImageQuestion,
  parseJson,
  type Picture,
  type Question,
  type Random,
  type Row,
  programsOf,
  serverOf,
  stringifyJson,
  type ToolBox,
  type ToolCall,
  type ToolSchema,
  type TracedConversation,
  unboxed,
} from '@data-designer/core';
import type { MCPRegistry } from '@data-designer/mcp';
import type { ModelRegistry } from '@data-designer/models';
import type { RowEnvironments } from '../environments/row-environments.ts';
import { type BranchingCell, callIn } from '../functions/functions.ts';
import { invokeFunction } from '../functions/invoke-function.ts';
import type { CellCalls } from './cell-calls.ts';
import type { GroupContext } from './group-context.ts';
import { writeImage } from './image-files.ts';
import { readMedia } from './read-media.ts';
import type { WrittenImages } from './written-images.ts';

/** What the cells of a row group share. */
export interface CellServices {
  readonly models: ModelRegistry;
  readonly tools: Pick<MCPRegistry, 'get'>;
  readonly context: GroupContext;
  /** Counts the calls of cells; absent where nobody asks. */
  readonly calls?: CellCalls | undefined;
  /** Records the images that cells write; absent where none are cleaned up. */
  readonly images?: WrittenImages;
}

/** Which cell it is. */
export interface CellAddress {
  readonly row: Row;
  readonly rowIndex: number;
  readonly column: string;
  /** The columns that it reads. */
  readonly reads?: readonly string[];
  readonly random: Random;
  /** The number of its first call in its attempt; 0 unless given. */
  readonly firstCall?: number;
  /** The attempt that it belongs to; none outside of attempts. */
  readonly attempt?: Attempt | undefined;
  /** The worlds of its row; none in a plan without environments. */
  readonly environments?: RowEnvironments | undefined;
}

/** One attempt at the columns of a block. */
export interface Attempt {
  /** From 0. */
  readonly number: number;
  /** The seed of its requests, for models that take one. */
  readonly seed: number;
}

/** Failures after which the fallback model is asked: the first one answered with nothing usable. */
const NO_USABLE_ANSWER: ReadonlySet<FailureCode> = new Set([
  'model/gave-up',
  'model/no-final-answer',
  'model/bad-answer',
  'model/broken-answer',
  'model/no-choice',
  'model/answer-too-long',
  'model/context-exceeded',
  'model/unprocessable',
  'model/rejected',
  'model/unsupported-capability',
  'model/text-only',
]);

/** Call numbers reserved for one branch of a cell: more than any conversation uses. */
const BRANCH_CALLS = 4096;
/** The status of a validator call in a rehearsal, where no server is asked. */
const NOT_ASKED = 204;

/** One cell while it is made: gives its column type access to models, tools, files and functions, and numbers its calls. */
export class RowCell implements BranchingCell {
  readonly row: Row;
  readonly rowIndex: number;
  readonly #address: CellAddress;
  readonly #services: CellServices;
  #random: Random | undefined;
  #calls: CallContext | undefined;
  /** The number of the first call of its attempt. */
  readonly #base: number;
  #nextCall: number;
  #branches: RowCell[] | undefined;

  constructor(address: CellAddress, services: CellServices) {
    this.row = address.row;
    this.rowIndex = address.rowIndex;
    this.#address = address;
    this.#services = services;
    this.#base = (address.attempt?.number ?? 0) * ATTEMPT_CALLS;
    this.#nextCall = this.#base + (address.firstCall ?? 0);
  }

  /** The address of the last call; undefined where the cell made none. */
  get lastCall(): Address | undefined {
    const { column, firstCall = 0 } = this.#address;
    const last = this.#branches?.findLast((branch) => branch.lastCall);
    if (last) return last.lastCall;
    return this.#nextCall > this.#base + firstCall
      ? { row: this.rowIndex, column, call: this.#nextCall - 1 }
      : undefined;
  }

  get random(): Random {
    return (this.#random ??= this.#address.random.copy().at(this.rowIndex, this.#base));
  }

  get signal(): AbortSignal {
    return this.#services.context.signal;
  }

  ask<Answer>(question: Question<Answer>): Promise<TracedConversation<Answer>> {
    const asked = this.#ask(question.modelAlias, question);
    const { fallbackModelAlias: fallback } = question;
    return fallback === undefined
      ? asked
      : asked.catch((thrown: unknown) => this.#fallBack(thrown, fallback, question));
  }

  toolSchemas(toolAlias: string): Promise<readonly ToolSchema[]> {
    return this.#services.tools.get(toolAlias).getToolSchemas();
  }

  async callTool(toolAlias: string, { name, arguments: args }: ToolCall['function']): Promise<ChatMessage> {
    const context = this.#callContext();
    const id = `call_${context.row}_${this.#nextCall}`;
    const response: ChatMessage = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name, arguments: args } }],
    };
    const tools = this.#services.tools.get(toolAlias);
    const box = this.#address.environments?.toolBox(tools) ?? tools;
    const [, message] = await box.processCompletionResponse(response, { ...context, takesFailures: true });
    if (message) return message;
    throw new DataDesignerError('internal/unexpected', { reason: 'a tool call without a message' });
  }

  embed(question: EmbeddingQuestion): Promise<readonly (readonly number[])[]> {
    return this.#services.models.facade(question.modelAlias).embed(question, this.#callContext());
  }

  generateImage(question: ImageQuestion): Promise<readonly Picture[]> {
    return this.#services.models.facade(question.modelAlias).generateImage(question, this.#callContext());
  }

  /** The file name is drawn at a call number of its own, so that a replay writes the same file again. */
  async keepPicture(picture: Picture): Promise<string> {
    const { context, images } = this.#services;
    const { folder } = context;
    const calls = this.#callContext();
    const random = calls.randomOf(calls.nextCall());
    if (folder === undefined) return picture.base64;
    const { column } = this.#address;
    const image = await writeImage(picture, { folder, column, random });
    images?.add(this.rowIndex, { column, ...image });
    return image.path;
  }

  branch(): RowCell {
    const next = Math.ceil(this.#nextCall / BRANCH_CALLS) * BRANCH_CALLS;
    const firstCall = this.#address.environments ? besideWorldCalls(next) : next;
    this.#nextCall = firstCall + BRANCH_CALLS;
    const branch = new RowCell({ ...this.#address, firstCall: firstCall - this.#base }, this.#services);
    (this.#branches ??= []).push(branch);
    return branch;
  }

  async recordOutcome<Outcome>(name: string, work: () => Outcome | Promise<Outcome>): Promise<Outcome> {
    const { column, row, nextCall } = this.#callContext();
    const at = { row, column, call: nextCall() };
    const call = { ...at, resource: FUNCTIONS, path: 'outcome', body: stringifyJson({ name }) } as const;
    const outcome = await this.#services.context.gateway.journal?.(call, async () => {
      const value = await invokeFunction(`${column} (${name})`, work);
      return { status: 200, headers: {}, body: stringifyJson(value) };
    });
    if (!outcome) throw new DataDesignerError('internal/unexpected', { reason: 'this cell has no record of outcomes' });
    return unboxed(parseJson(outcome.body)) as Outcome;
  }

  run(handle: FunctionHandle, args: readonly unknown[], use?: FunctionUse): Promise<unknown> {
    return callIn(this.#services.context.functions, handle, [args, use]);
  }

  note(message: string): void {
    this.#services.context.functions?.note(this.#address.column, message);
  }

  /**
   * Journaled under a row number that no row has: a batch continues although one of its rows is lost. An attempt sends its
   * row alone, under the row's own address.
   */
  async validate({ batch, ...question }: BatchQuestion): Promise<string | undefined> {
    const { column, attempt } = this.#address;
    const at = attempt ? { row: this.rowIndex, column, call: this.#nextCall++ } : { row: -1 - batch, column, call: 0 };
    const call = { resource: serverOf(column), path: 'validate', ...question, ...at } as const;
    const outcome = await this.#services.context.gateway.call(call);
    return outcome.status === NOT_ASKED ? undefined : outcome.body;
  }

  async runPrograms(provider: string, request: { readonly body: string; readonly timeoutMs: number }): Promise<string> {
    const { column, row, nextCall } = this.#callContext();
    const call = { resource: programsOf(provider), path: 'run', ...request, row, column, call: nextCall() } as const;
    return (await this.#services.context.gateway.call(call)).body;
  }

  async readMedia(path: string): Promise<string | undefined> {
    const { folder, mediaRoots = [] } = this.#services.context;
    return readMedia(path, folder === undefined ? mediaRoots : [folder, ...mediaRoots]);
  }

  #ask<Answer>(model: string, question: Question<Answer>): Promise<TracedConversation<Answer>> {
    const { models, tools } = this.#services;
    const { toolAlias, allowTools } = question;
    const { environments } = this.#address;
    const ask = (toolBox?: ToolBox) => models.facade(model).generate(question, this.#callContext(), toolBox);
    if (toolAlias === undefined) return ask();
    const all = tools.get(toolAlias);
    const toolBox = allowTools ? all.only({ column: this.#address.column, tools: allowTools }) : all;
    if (!environments) return ask(toolBox);
    return environments.ask(toolBox.providers, () => ask(environments.toolBox(toolBox)));
  }

  #fallBack<Answer>(thrown: unknown, alias: string, question: Question<Answer>): Promise<TracedConversation<Answer>> {
    if (!NO_USABLE_ANSWER.has(DataDesignerError.fromUnknown(thrown).code)) throw thrown;
    return this.#ask(alias, question);
  }

  /** One context for all requests of the cell, so that its calls are numbered together. */
  #callContext(): CallContext {
    return (this.#calls ??= this.#newCallContext());
  }

  #newCallContext(): CallContext {
    const { column, random, attempt, row, reads = [] } = this.#address;
    return {
      row: this.rowIndex,
      column,
      signal: this.signal,
      nextCall: (to) => {
        if (!attempt) this.#services.calls?.begin(column, this.rowIndex, to);
        return this.#nextCall++;
      },
      randomOf: (call) => random.copy().at(this.rowIndex, 0, call + 1),
      values: () => Object.fromEntries(reads.map((name) => [name, unboxed(row[name] ?? null)])),
      ...(attempt && { seed: attempt.seed }),
    };
  }
}
