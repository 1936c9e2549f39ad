import { DataDesignerError, type Gateway, type Plan } from '@data-designer/core';
import { openClient } from './open-client.ts';
import type { Budgets } from './exchange.ts';
import { inFlightClient } from './in-flight-client.ts';
import { ModelFacade } from './model-facade.ts';
import type { ModelUsage } from './usage.ts';

/** The models of a plan by alias, each made when first asked for. */
export class ModelRegistry {
  readonly #models: Plan['models'];
  readonly #gateway: Gateway;
  readonly #budgets: Budgets;
  readonly #facades = new Map<string, ModelFacade>();
  readonly #inFlight = new Map<string, number>();

  constructor(models: Plan['models'], gateway: Gateway, budgets: Budgets) {
    this.#models = models;
    this.#gateway = gateway;
    this.#budgets = budgets;
  }

  /** The facade of an alias; an alias outside the plan is our own mistake, since compile checks them. */
  facade(alias: string): ModelFacade {
    const known = this.#facades.get(alias);
    if (known) return known;
    const model = Object.hasOwn(this.#models, alias) ? this.#models[alias] : undefined;
    if (!model)
      throw new DataDesignerError('internal/unexpected', { reason: `model alias '${alias}' is not in the plan` });
    const client = inFlightClient(openClient(this.#gateway, model), this.#inFlight);
    const facade = new ModelFacade({ model, client, gateway: this.#gateway, budgets: this.#budgets });
    this.#facades.set(alias, facade);
    return facade;
  }

  /** The requests that are open now, by column. */
  inFlight(): Record<string, number> {
    return Object.fromEntries(this.#inFlight);
  }

  /** What was asked so far, by alias. */
  usage(): Record<string, ModelUsage> {
    return Object.fromEntries([...this.#facades].map(([alias, facade]) => [alias, facade.usage]));
  }
}
