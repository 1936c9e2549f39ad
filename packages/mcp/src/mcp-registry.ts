import { DataDesignerError, type Gateway, type Plan } from '@data-designer/core';
import { MCPFacade } from './mcp-facade.ts';
import { addToolCounts, type ToolCounts } from './tool-counts.ts';

/** The tool aliases of a plan; each facade is made on first use and shared from then on. */
export class MCPRegistry {
  readonly #tools: Plan['tools'];
  readonly #gateway: Gateway;
  readonly #facades = new Map<string, MCPFacade>();

  constructor(tools: Plan['tools'], gateway: Gateway) {
    this.#tools = tools;
    this.#gateway = gateway;
  }

  /** The facade of a tool alias. The plan names every alias in use, so an unknown one is a defect of ours. */
  get(alias: string): MCPFacade {
    const known = this.#facades.get(alias);
    if (known !== undefined) return known;
    const config = Object.hasOwn(this.#tools, alias) ? this.#tools[alias] : undefined;
    if (config === undefined)
      throw new DataDesignerError('internal/unexpected', { reason: `The plan has no tool alias '${alias}'.` });
    const facade = new MCPFacade(config, this.#gateway);
    this.#facades.set(alias, facade);
    return facade;
  }

  /** Calls so far by tool, over all aliases. */
  counts(): Readonly<Record<string, ToolCounts>> {
    const total: Record<string, ToolCounts> = {};
    for (const { counts } of this.#facades.values()) addToolCounts(total, counts);
    return total;
  }
}
