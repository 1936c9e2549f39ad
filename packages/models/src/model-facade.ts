import {
  type Address,
  type CallContext,
  DataDesignerError,
  type EmbeddingQuestion,
  type Gateway,
  type ImageQuestion,
  imageTypeOf,
  limitsOf,
  type Picture,
  type Question,
  type ToolBox,
  type TracedConversation,
  WEB,
} from '@data-designer/core';
import { countedRequest } from './counted-request.ts';
import { parametersOf } from './draw-parameters.ts';
import { type Budgets, Exchange, type ExchangeParts } from './exchange.ts';
import {
  addCounts,
  type Attempt,
  type ColumnUsage,
  countFlaws,
  type ModelCounts,
  type ModelUsage,
  noCounts,
  noUsage,
} from './usage.ts';

/** One model alias: asks, and counts what that took. */
export class ModelFacade {
  readonly #parts: ExchangeParts;
  readonly #columns: Record<string, ColumnUsage>;

  constructor(parts: Omit<ExchangeParts, 'countsOf'>, columns: Record<string, ColumnUsage> = {}) {
    this.#columns = columns;
    const countsOf = (column: string, attempt: Attempt) => this.#counts(column, attempt);
    this.#parts = { ...parts, countsOf };
  }

  /** The same alias with other budgets; its requests are counted together. */
  within(budgets: Budgets): ModelFacade {
    return new ModelFacade({ ...this.#parts, budgets }, this.#columns);
  }

  /** Asks until the parser accepts the answer; throws `model/*` failures. The prompt is rendered once admitted. */
  async generate<Answer>(
    question: Question<Answer>,
    context: CallContext,
    tools?: ToolBox,
  ): Promise<TracedConversation<Answer>> {
    return new Exchange(this.#parts, question, { context, tools }).run();
  }

  /** One vector for each text, in order; throws `model/*` failures. No texts are no request. */
  async embed({ texts }: EmbeddingQuestion, context: CallContext): Promise<readonly (readonly number[])[]> {
    if (texts.length === 0) return [];
    const { client } = this.#parts;
    return this.#admitted(context, async (at) => {
      const request = { ...this.#request(at, context), texts };
      const counts = this.#counts(context.column, 'first');
      const { answer, isMended } = await countedRequest(counts, (meter) => client.embed(request, at, meter));
      if (isMended) countFlaws(counts, ['mendedText']);
      return answer.vectors;
    });
  }

  /** At least one picture; throws `model/*` failures. */
  async generateImage({ prompt, media }: ImageQuestion, context: CallContext): Promise<readonly Picture[]> {
    const { client, gateway, model } = this.#parts;
    const { answer } = await this.#admitted(context, async (at) => {
      const request = { ...this.#request(at, context), prompt: prompt(), media: media ? await media() : [] };
      const counts = this.#counts(context.column, 'first');
      const counted = await countedRequest(counts, (meter) => client.generateImage(request, at, meter));
      if (counted.isMended) countFlaws(counts, ['mendedText']);
      return counted;
    });
    const fetching = { gateway, context, model: model.alias };
    return Promise.all(
      answer.pictures.map((one) => ('url' in one ? fetchPicture(one.url, fetching) : Promise.resolve(one))),
    );
  }

  /** What was asked and answered so far. */
  get usage(): ModelUsage {
    const usage = noUsage();
    const all = Object.values(this.#columns).flatMap((attempts) => Object.values(attempts));
    for (const counts of all) addCounts(usage, counts);
    return { ...usage, columns: this.#columns };
  }

  /** Asks once admitted; what fails before its request gives the place back. */
  async #admitted<Answer>(
    { row, column, nextCall }: CallContext,
    ask: (at: Address) => Promise<Answer>,
  ): Promise<Answer> {
    const { gateway, model } = this.#parts;
    const at = { row, column, call: nextCall() };
    await gateway.admit(model.resource, at);
    try {
      return await ask(at);
    } catch (thrown) {
      gateway.cancel(at);
      throw thrown;
    }
  }

  #request(at: Address, context: CallContext) {
    const { model } = this.#parts;
    const parameters = parametersOf(model, () => context.randomOf(at.call));
    return { model: model.model, ...limitsOf(model), parameters };
  }

  #counts(column: string, attempt: Attempt): ModelCounts {
    const attempts = (this.#columns[column] ??= {});
    return (attempts[attempt] ??= noCounts());
  }
}

/** How long a download may take (as in NeMo Data Designer). */
const DOWNLOAD_MS = 60_000;
/** More than any model's picture takes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Fetches a picture that an answer points to, through the gateway; throws `model/no-picture` where there is none. */
async function fetchPicture(
  url: string,
  { gateway, context, model }: { readonly gateway: Gateway; readonly context: CallContext; readonly model: string },
): Promise<Picture> {
  const { row, column } = context;
  const at = { row, column, call: context.nextCall() };
  await gateway.admit(WEB, at);
  const body = JSON.stringify({ url, maxBytes: MAX_BYTES });
  const outcome = await gateway.call({ resource: WEB, path: 'download', body, timeoutMs: DOWNLOAD_MS, ...at });
  const noPicture = (reason: string) => new DataDesignerError('model/no-picture', { model, reason });
  if (outcome.status < 200 || outcome.status >= 300) {
    throw noPicture(`its address cannot be fetched (status ${outcome.status}: ${outcome.body.slice(0, 200)})`);
  }
  const stated = outcome.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  const mediaType = imageTypeOf(outcome.body) ?? stated;
  if (!mediaType?.startsWith('image/')) throw noPicture(`its address returned ${stated ?? 'an unknown type'}`);
  return { mediaType, base64: outcome.body };
}
