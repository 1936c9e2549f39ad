import {
  type CellValue,
  type Fields,
  type FunctionHandle,
  isFailure,
  messageOf,
  stringifyJson,
  unboxed,
} from '@data-designer/core';
import { NO_SUCH_TOOL, toolOf } from '../declared-tools.ts';
import type { CallResult, EnvironmentCall, OpenEnvironment, OpenOptions } from '../environment-kind.ts';
import { MarkedStates } from '../marked-states.ts';
import type { CodeConfig, ToolStep } from './code-config.ts';

/** Opens the world of a row, whose state its function `open` gives. */
export async function openCode(config: CodeConfig, options: OpenOptions): Promise<OpenEnvironment> {
  const place = new Place(config, options);
  return new CodeOfRow(place, await place.run(config.open, [place.row], options.random.bits()));
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

/** The state of a row. Functions get copies of it. */
class CodeOfRow extends MarkedStates<unknown> implements OpenEnvironment {
  readonly #place: Place;

  constructor(place: Place, state: unknown) {
    super(state);
    this.#place = place;
  }

  get tools(): OpenEnvironment['tools'] {
    return this.#place.config.tools.map(toolOf);
  }

  async call({ name, arguments: args, random, signal }: EnvironmentCall): Promise<CallResult> {
    const tool = this.#place.config.tools.find((one) => one.name === name);
    if (!tool) return NO_SUCH_TOOL;
    try {
      const step = (await this.#place.run(
        tool.execute,
        [unboxed(args as CellValue), this.state],
        random.bits(),
      )) as ToolStep;
      if (!signal.aborted) this.state = step.state;
      const { result } = step;
      return { text: typeof result === 'string' ? result : stringifyJson(result), failed: false };
    } catch (thrown) {
      if (isFailure(thrown, 'function/threw') || isFailure(thrown, 'function/bad-value')) {
        return { text: isFailure(thrown, 'function/threw') ? thrown.data.reason : messageOf(thrown), failed: true };
      }
      throw thrown;
    }
  }

  fork(): OpenEnvironment {
    return new CodeOfRow(this.#place, this.state);
  }

  async snapshot(): Promise<CellValue> {
    const { snapshot } = this.#place.config;
    if (!snapshot) return this.state as CellValue;
    return (await this.#place.run(snapshot, [this.state], 0)) as CellValue;
  }
}
