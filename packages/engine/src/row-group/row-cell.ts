import {
  type Address,
  type Answered,
  type BatchQuestion,
  type CallContext,
  DataDesignerError,
  type EmbeddingQuestion,
  type FailureCode,
  type FunctionHandle,
  FUNCTIONS,
  type FunctionUse,
  type Gateway,
  type ImageQuestion,
  type OutcomeKeeper,
  parseJson,
  type Picture,
  type Question,
  type Random,
  type Row,
  serverOf,
  stringifyJson,
  unboxed,
} from '@data-designer/core';
import type { MCPRegistry } from '@data-designer/mcp';
import type { ModelRegistry } from '@data-designer/models';
import type { BranchingCell, Functions } from '../functions/functions.ts';
import { invokeFunction } from '../functions/invoke-function.ts';
import type { KeptPictures } from './written-images.ts';
import { keepPicture } from './image-files.ts';
import { readMedia } from './read-media.ts';

/** What the cells of a row group share. */
export interface CellParts {
  readonly models: ModelRegistry;
  readonly tools: MCPRegistry;
  /** Keeps the outcomes of what functions do themselves; absent where none can. */
  readonly keeper?: OutcomeKeeper | undefined;
  /** The functions of the calling program and of modules; absent where none can be called. */
  readonly functions?: Functions | undefined;
  readonly gateway: Gateway;
  readonly signal: AbortSignal;
  /** The dataset's folder; absent in a preview, where nothing is kept. */
  readonly folder?: string | undefined;
  /** Further folders whose files cells may name. */
  readonly mediaRoots?: readonly string[] | undefined;
  /** Told which pictures are kept. */
  readonly pictures?: KeptPictures;
}

/** Which cell it is. */
export interface CellPlace {
  readonly row: Row;
  readonly rowIndex: number;
  readonly column: string;
  readonly random: Random;
  /** The number of its first call; 0 unless given. */
  readonly firstCall?: number;
}

/** Failures of a model that another may not have: it answers, but with nothing that can be used. */
const NO_USABLE_ANSWER: ReadonlySet<FailureCode> = new Set([
  'model/gave-up',
  'model/no-final-answer',
  'model/bad-answer',
  'model/no-choice',
  'model/answer-too-long',
  'model/context-exceeded',
  'model/unprocessable',
  'model/rejected',
  'model/unsupported-capability',
]);

/** Calls that one branch of a cell may count: more than any conversation makes. */
const BRANCH_CALLS = 4096;
/** The status that stands for an answer where a server is not asked. */
const NOT_ASKED = 204;

/** One cell at work: what its maker may use, counting what it asks of the outside. */
export class RowCell implements BranchingCell {
  readonly row: Row;
  readonly rowIndex: number;
  readonly #place: CellPlace;
  readonly #parts: CellParts;
  #random: Random | undefined;
  #site: CallContext | undefined;
  #nextCall: number;
  #branches: RowCell[] | undefined;

  constructor(place: CellPlace, parts: CellParts) {
    this.row = place.row;
    this.rowIndex = place.rowIndex;
    this.#place = place;
    this.#parts = parts;
    this.#nextCall = place.firstCall ?? 0;
  }

  /** The address of the last call that it counted; undefined where it counted none. */
  get lastCall(): Address | undefined {
    const { column, firstCall = 0 } = this.#place;
    const last = this.#branches?.findLast((branch) => branch.lastCall);
    if (last) return last.lastCall;
    return this.#nextCall > firstCall ? { row: this.rowIndex, column, call: this.#nextCall - 1 } : undefined;
  }

  get random(): Random {
    return (this.#random ??= this.#place.random.copy().at(this.rowIndex));
  }

  get signal(): AbortSignal {
    return this.#parts.signal;
  }

  ask<Answer>(question: Question<Answer>): Promise<Answered<Answer>> {
    const asked = this.#ask(question.modelAlias, question);
    const { fallbackModelAlias: fallback } = question;
    return fallback === undefined
      ? asked
      : asked.catch((thrown: unknown) => this.#fallBack(thrown, fallback, question));
  }

  embed(question: EmbeddingQuestion): Promise<readonly (readonly number[])[]> {
    return this.#parts.models.facade(question.modelAlias).embed(question, this.#openSite());
  }

  generateImage(question: ImageQuestion): Promise<readonly Picture[]> {
    return this.#parts.models.facade(question.modelAlias).generateImage(question, this.#openSite());
  }

  /** The picture's name is drawn at a call number of its own, so that a replay writes the same file again. */
  async keepPicture(picture: Picture): Promise<string> {
    const { folder } = this.#parts;
    const site = this.#openSite();
    const random = site.randomOf(site.nextCall());
    if (folder === undefined) return picture.base64;
    const { column } = this.#place;
    const path = await keepPicture(picture, { folder, column, random });
    this.#parts.pictures?.note(this.rowIndex, { column, path });
    return path;
  }

  branch(): RowCell {
    const firstCall = Math.ceil(this.#nextCall / BRANCH_CALLS) * BRANCH_CALLS;
    this.#nextCall = firstCall + BRANCH_CALLS;
    const branch = new RowCell({ ...this.#place, firstCall }, this.#parts);
    (this.#branches ??= []).push(branch);
    return branch;
  }

  async outside<Outcome>(name: string, work: () => Outcome | Promise<Outcome>): Promise<Outcome> {
    const { column, row, nextCall } = this.#openSite();
    const call = {
      row,
      column,
      call: nextCall(),
      resource: FUNCTIONS,
      path: 'outside' as const,
      body: stringifyJson({ name }),
    };
    const { keeper } = this.#parts;
    if (!keeper) throw new DataDesignerError('internal/unexpected', { reason: 'nothing keeps outcomes here' });
    const { body } = await keeper.keep(call, async () => {
      const outcome = await invokeFunction(`${column} (${name})`, work);
      return { status: 200, headers: {}, body: stringifyJson(outcome) };
    });
    return unboxed(parseJson(body)) as Outcome;
  }

  run(handle: FunctionHandle, args: readonly unknown[], use?: FunctionUse): Promise<unknown> {
    const { functions } = this.#parts;
    if (functions) return functions.call(handle, args, use);
    const reason = 'this row group is made without functions';
    return Promise.reject(new DataDesignerError('function/unavailable', { function: handle.handle, reason }));
  }

  note(message: string): void {
    this.#parts.functions?.note(this.#place.column, message);
  }

  /** Kept under a number that no row has: a batch goes on though one of its rows is lost. */
  async validate({ batch, ...question }: BatchQuestion): Promise<string | undefined> {
    const { column } = this.#place;
    const at = { row: -1 - batch, column, call: 0 };
    const outcome = await this.#parts.gateway.call({
      resource: serverOf(column),
      path: 'validate',
      ...question,
      ...at,
    });
    return outcome.status === NOT_ASKED ? undefined : outcome.body;
  }

  async readMedia(path: string): Promise<string | undefined> {
    const { folder, mediaRoots = [] } = this.#parts;
    return readMedia(path, folder === undefined ? mediaRoots : [folder, ...mediaRoots]);
  }

  #ask<Answer>(alias: string, question: Question<Answer>): Promise<Answered<Answer>> {
    const { models, tools } = this.#parts;
    const toolBox = question.toolAlias === undefined ? undefined : tools.get(question.toolAlias);
    return models.facade(alias).generate(question, this.#openSite(), toolBox);
  }

  #fallBack<Answer>(thrown: unknown, alias: string, question: Question<Answer>): Promise<Answered<Answer>> {
    if (!NO_USABLE_ANSWER.has(DataDesignerError.fromUnknown(thrown).code)) throw thrown;
    return this.#ask(alias, question);
  }

  /** One count of calls for all that the cell asks. */
  #openSite(): CallContext {
    return (this.#site ??= this.#makeSite());
  }

  #makeSite(): CallContext {
    const { column, random } = this.#place;
    return {
      row: this.rowIndex,
      column,
      signal: this.signal,
      nextCall: () => this.#nextCall++,
      randomOf: (call) => random.copy().at(this.rowIndex, 0, call + 1),
    };
  }
}
