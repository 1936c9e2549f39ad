import {
  type CellValue,
  type Fields,
  type FunctionHandle,
  isFailure,
  messageOf,
  stringifyJson,
  unboxed,
} from '@data-designer/core';
import type { CallResult, EnvironmentCall, OpenEnvironment, OpenOptions } from '../environment-kind.ts';
import { type CodeConfig, type ToolStep, toolOf } from './code-config.ts';

/** Opens the world of a row, whose state its function `open` gives. */
export async function openCode(config: CodeConfig, options: OpenOptions): Promise<OpenEnvironment> {
  const place = new Place(config, options);
  return new CodeOfRow(place, [await place.run(config.open, [place.row], options.random.bits())]);
}

/** Where the functions of an environment are called for a row. */
class Place {
  readonly config: CodeConfig;
  readonly row: { readonly values: Fields; readonly index: number };
  readonly #options: OpenOptions;

  constructor(config: CodeConfig, options: OpenOptions) {
    this.config = config;
    this.row = { values: options.values, index: options.rowIndex };
    this.#options = options;
  }

  /** Calls a function, which a plan holds as a handle. */
  run(called: unknown, args: readonly unknown[], seed: number): Promise<unknown> {
    return this.#options.callFunction(called as FunctionHandle, args, { row: this.row, seed });
  }
}

/** The state of a row. Functions get copies, so that a state never changes, and a mark is a state. */
class CodeOfRow implements OpenEnvironment {
  readonly #place: Place;
  /** The marked states, and the current one as the last. */
  readonly #states: unknown[];

  constructor(place: Place, states: unknown[]) {
    this.#place = place;
    this.#states = states;
  }

  get tools(): OpenEnvironment['tools'] {
    return this.#place.config.tools.map(toolOf);
  }

  async call({ name, arguments: args, random, signal }: EnvironmentCall): Promise<CallResult> {
    const tool = this.#place.config.tools.find((one) => one.name === name);
    if (!tool) return { text: 'there is no tool of this name', failed: true };
    try {
      const step = (await this.#place.run(
        tool.execute,
        [unboxed(args as CellValue), this.#current],
        random.bits(),
      )) as ToolStep;
      if (!signal.aborted) this.#states[this.#states.length - 1] = step.state;
      const { result } = step;
      return { text: typeof result === 'string' ? result : stringifyJson(result), failed: false };
    } catch (thrown) {
      if (isFailure(thrown, 'function/threw') || isFailure(thrown, 'function/bad-value')) {
        return { text: isFailure(thrown, 'function/threw') ? thrown.data.reason : messageOf(thrown), failed: true };
      }
      throw thrown;
    }
  }

  mark(): void {
    this.#states.push(this.#current);
  }

  undo(): void {
    this.#states[this.#states.length - 1] = this.#states.at(-2);
  }

  release(): void {
    const current = this.#states.pop();
    this.#states[this.#states.length - 1] = current;
  }

  fork(): OpenEnvironment {
    return new CodeOfRow(this.#place, [this.#current]);
  }

  async snapshot(): Promise<CellValue> {
    const { snapshot } = this.#place.config;
    if (!snapshot) return this.#current as CellValue;
    return (await this.#place.run(snapshot, [this.#current], 0)) as CellValue;
  }

  close(): void {
    this.#states.length = 0;
  }

  get #current(): unknown {
    return this.#states.at(-1);
  }
}
