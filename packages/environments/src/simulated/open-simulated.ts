import { type CellValue, type Fields, fieldsOf, isFailure, isFields, isList, stringifyJson } from '@data-designer/core';
import { typesOf } from '@data-designer/json-schema';
import { z } from 'zod';
import {
  type CallResult,
  type EnvironmentCall,
  fieldKey,
  type OpenEnvironment,
  type OpenOptions,
} from '../environment-kind.ts';
import { jsonIn, shownStart } from './json-in.ts';
import { MOST_RESULT_BYTES, MOST_STATE_BYTES } from './limits.ts';
import { type LookupTable, lookupTable } from './lookup-table.ts';
import { answerSchema, type SimulatedConfig, simulatedTool, type SimulatedTool, toolOf } from './simulated-config.ts';

/** A tool with its table; undefined for one that the model plays. */
interface PlayedTool {
  readonly tool: SimulatedTool;
  readonly table: LookupTable | undefined;
}

/** What the world of a row does not change. */
interface Scene {
  readonly tools: readonly PlayedTool[];
  readonly modelAlias: string | undefined;
  readonly systemPrompt: string;
}

/** Opens the world of a row; throws an `Error` with the reason where its state or its tools cannot be used. */
export async function openSimulated(config: SimulatedConfig, { values }: OpenOptions): Promise<OpenEnvironment> {
  const valueOf = (...field: readonly (string | number)[]) => values[fieldKey(field)] ?? null;
  const state = stateIn(typeof config.state === 'string' ? valueOf('state') : (config.state as CellValue));
  const isOfRow = typeof config.tools === 'string';
  const listed = typeof config.tools === 'string' ? toolsIn(valueOf('tools')) : config.tools;
  const names = listed.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`it has two tools named '${twice}'`);
  const tools = listed.map((tool, at): PlayedTool => {
    const { lookup } = tool;
    const table = typeof lookup === 'string' && !isOfRow ? valueOf('tools', at, 'lookup') : (lookup as CellValue);
    return { tool, table: lookup === undefined ? undefined : lookupTable(tool, table) };
  });
  const { modelAlias } = config;
  const unplayed = modelAlias === undefined ? tools.find(({ table }) => !table) : undefined;
  if (unplayed) throw new Error(`its tool '${unplayed.tool.name}' has no lookup, and there is no model_alias`);
  const instructions = valueOf('instructions');
  const systemPrompt = systemPromptOf(
    tools.map(({ tool }) => tool),
    typeof instructions === 'string' ? instructions : '',
  );
  return new SimulatedWorld({ tools, modelAlias, systemPrompt }, [state]);
}

function stateIn(given: CellValue): CellValue {
  const state = jsonIn(given, 'state');
  if (!isList(state) && !isFields(state))
    throw new Error(`its state is neither an object nor a list: ${shownStart(state)}`);
  const mistake = sizeMistake('its state', stringifyJson(state), MOST_STATE_BYTES);
  if (mistake !== undefined) throw new Error(mistake);
  return state;
}

/** The tools that a row brings; schemas may be JSON text, and members without a value null. */
function toolsIn(given: CellValue): readonly SimulatedTool[] {
  const list = jsonIn(given, 'tools');
  const read = z.array(simulatedTool).safeParse(isList(list) ? list.map(toolIn) : list);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Error(`its tools cannot be read: ${['tools', ...(issue?.path ?? [])].join('.')}: ${issue?.message ?? ''}`);
}

function toolIn(tool: CellValue): unknown {
  if (!isFields(tool)) return tool;
  const { output_schema: outputSchema, parameters, ...others } = tool as Readonly<Record<string, CellValue>>;
  const members = {
    ...others,
    parameters: jsonIn(parameters ?? null, 'parameters of a tool'),
    ...(outputSchema !== undefined && { outputSchema: jsonIn(outputSchema, 'output_schema of a tool') }),
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

function systemPromptOf(tools: readonly SimulatedTool[], instructions: string): string {
  const described = tools.map(({ name, description, parameters, outputSchema }) =>
    stringifyJson({ name, description, parameters, ...(outputSchema && { output_schema: outputSchema }) }),
  );
  return [
    `You play the tools of a simulated environment. An assistant calls one tool at a time. You decide what the call returns and how it changes the state.
- The state is the truth about the environment. Results must agree with it.
- Facts that you invent belong in the state, so that later calls agree with them.
- If the real tool would refuse the call, give null as "result" and the reason as "error".
- If the call changes the state, give the whole state after the call as "state"; else leave "state" out.`,
    ...(instructions.trim() === '' ? [] : [instructions.trim()]),
    `The tools:\n${described.join('\n')}`,
  ].join('\n\n');
}

/** The state of a row, which never changes: a mark is a state. */
class SimulatedWorld implements OpenEnvironment {
  readonly #scene: Scene;
  /** The marked states, and the current one as the last. */
  readonly #states: CellValue[];

  constructor(scene: Scene, states: CellValue[]) {
    this.#scene = scene;
    this.#states = states;
  }

  get tools(): OpenEnvironment['tools'] {
    return this.#scene.tools.map(({ tool }) => toolOf(tool));
  }

  async call(call: EnvironmentCall): Promise<CallResult> {
    const played = this.#scene.tools.find(({ tool }) => tool.name === call.name);
    if (!played) return failed('there is no tool of this name');
    const { tool, table } = played;
    if (!table) return this.#play(tool, call);
    const entry = table.find(call.arguments as CellValue);
    return entry ? resultOf(entry.result) : failed(`no entry has these arguments: ${stringifyJson(call.arguments)}`);
  }

  mark(): void {
    this.#states.push(this.#current);
  }

  undo(): void {
    this.#states[this.#states.length - 1] = this.#states.at(-2) ?? null;
  }

  release(): void {
    const current = this.#states.pop() ?? null;
    this.#states[this.#states.length - 1] = current;
  }

  fork(): OpenEnvironment {
    return new SimulatedWorld(this.#scene, [this.#current]);
  }

  async snapshot(): Promise<CellValue> {
    return this.#current;
  }

  close(): void {
    this.#states.length = 0;
  }

  get #current(): CellValue {
    return this.#states.at(-1) ?? null;
  }

  async #play(tool: SimulatedTool, { arguments: args, signal, ask }: EnvironmentCall): Promise<CallResult> {
    const { modelAlias = '', systemPrompt } = this.#scene;
    const before = this.#current;
    const call = stringifyJson({ name: tool.name, arguments: args });
    const prompt = `The state:\n${stringifyJson(before)}\n\nThe call:\n${call}`;
    let answer: Fields;
    try {
      answer = fieldsOf(await ask({ modelAlias, systemPrompt, prompt, schema: answerSchema(tool, isList(before)) }));
    } catch (thrown) {
      if (!isFailure(thrown, 'model/gave-up')) throw thrown;
      return failed(`its simulation gave no valid result: ${thrown.data.reason}`);
    }
    return signal.aborted ? failed('no answer in time') : this.#take(tool, answer);
  }

  /** Takes the result and the state of an answer, or neither. */
  #take({ outputSchema = {} }: SimulatedTool, answer: Fields): CallResult {
    const { result = null, error = null, state = null } = answer as Readonly<Record<string, CellValue>>;
    if (result === null) {
      if (typeof error === 'string' && error.trim() !== '') return failed(error.trim());
      const types = typesOf(outputSchema);
      if (types.length > 0 && !types.includes('null'))
        return failed('its simulation gave neither a result nor an error');
    }
    const given = resultOf(result);
    if (given.failed || state === null) return given;
    const mistake = sizeMistake('the state after the call', stringifyJson(state), MOST_STATE_BYTES);
    if (mistake !== undefined) return failed(mistake);
    this.#states[this.#states.length - 1] = state;
    return given;
  }
}

function resultOf(result: CellValue): CallResult {
  const text = typeof result === 'string' ? result : stringifyJson(result);
  const mistake = sizeMistake('the result', text, MOST_RESULT_BYTES);
  return mistake === undefined ? { text, failed: false } : failed(mistake);
}

function failed(text: string): CallResult {
  const mistake = sizeMistake('the error', text, MOST_RESULT_BYTES);
  return { text: mistake ?? text, failed: true };
}

function sizeMistake(subject: string, text: string, most: number): string | undefined {
  const bytes = Buffer.byteLength(text);
  return bytes > most ? `${subject} has ${bytes} bytes, more than ${most}` : undefined;
}
