import {
  type Address,
  type Answered,
  type CallSite,
  type EmbeddingQuestion,
  type Gateway,
  type ImageQuestion,
  type Picture,
  type PlannedModel,
  type Question,
  type ToolBox,
} from '@data-designer/core';
import { countedRequest } from './counted-request.ts';
import { parametersOf } from './draw-parameters.ts';
import { type Budgets, Exchange, type ExchangeParts } from './exchange.ts';
import type { ModelClient } from './model-client.ts';
import { fetchPicture } from './pictures/fetch-picture.ts';
import {
  addCounts,
  type Attempt,
  type ColumnUsage,
  type ModelCounts,
  type ModelUsage,
  noCounts,
  noUsage,
} from './usage.ts';

/** What a facade works with. */
export interface FacadeParts {
  readonly client: ModelClient;
  readonly gateway: Gateway;
  readonly budgets: Budgets;
}

/** One model alias: asks, and counts what that took. */
export class ModelFacade {
  readonly #parts: ExchangeParts;
  readonly #columns: Record<string, ColumnUsage> = {};

  constructor(model: PlannedModel, { client, gateway, budgets }: FacadeParts) {
    const countsOf = (column: string, attempt: Attempt) => this.#counts(column, attempt);
    this.#parts = { model: withoutChoices(model), client, gateway, budgets, countsOf };
  }

  /** Asks until the parser accepts the answer; throws `model/*` failures. The prompt is rendered once admitted. */
  async generate<Answer>(question: Question<Answer>, site: CallSite, tools?: ToolBox): Promise<Answered<Answer>> {
    return new Exchange(this.#parts, question, { site, tools }).run();
  }

  /** One vector for each text, in order; throws `model/*` failures. No texts are no request. */
  async embed({ texts }: EmbeddingQuestion, site: CallSite): Promise<readonly (readonly number[])[]> {
    if (texts.length === 0) return [];
    const { client } = this.#parts;
    const at = await this.#admit(site);
    const request = { ...this.#request(at, site), texts };
    const counts = this.#counts(site.column, 'first');
    const { vectors } = await countedRequest(counts, (onOutcome) => client.embed(request, at, onOutcome));
    return vectors;
  }

  /** At least one picture; throws `model/*` failures. */
  async paint({ prompt, media }: ImageQuestion, site: CallSite): Promise<readonly Picture[]> {
    const { client, gateway, model } = this.#parts;
    const at = await this.#admit(site);
    const request = { ...this.#request(at, site), prompt: prompt(), media: media ? await media() : [] };
    const counts = this.#counts(site.column, 'first');
    const { pictures } = await countedRequest(counts, (onOutcome) => client.paint(request, at, onOutcome));
    counts.pictures += pictures.length;
    const fetching = { gateway, site, model: model.alias };
    return Promise.all(pictures.map((one) => ('url' in one ? fetchPicture(one.url, fetching) : Promise.resolve(one))));
  }

  /** What was asked and answered so far. */
  get usage(): ModelUsage {
    const usage = noUsage();
    const all = Object.values(this.#columns).flatMap((attempts) => Object.values(attempts));
    for (const counts of all) addCounts(usage, counts);
    return { ...usage, columns: this.#columns };
  }

  async #admit({ row, column, nextCall }: CallSite): Promise<Address> {
    const at = { row, column, call: nextCall() };
    await this.#parts.gateway.admit(this.#parts.model.resource, at);
    return at;
  }

  #request(at: Address, site: CallSite) {
    const { model, timeoutMs } = this.#parts.model;
    return { model, timeoutMs, parameters: parametersOf(this.#parts.model, () => site.randomOf(at.call)) };
  }

  #counts(column: string, attempt: Attempt): ModelCounts {
    const attempts = (this.#columns[column] ??= {});
    return (attempts[attempt] ??= noCounts());
  }
}

/** A conversation takes one answer at a time: several choices are never wanted (as in NeMo Data Designer). */
function withoutChoices(model: PlannedModel): PlannedModel {
  if (!('n' in model.parameters)) return model;
  const { n: _, ...parameters } = model.parameters;
  return { ...model, parameters };
}
