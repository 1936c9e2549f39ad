import { type CellValue, type Fields, fieldsOf, isFailure, isFields, isList, stringifyJson } from '@data-designer/core';
import { typesOf } from '@data-designer/json-schema';
import { NO_SUCH_TOOL, toolOf, toolsOfRow } from '../declared-tools.ts';
import {
  type CallResult,
  type EnvironmentCall,
  fieldKey,
  type OpenEnvironment,
  type OpenOptions,
} from '../environment-kind.ts';
import { jsonIn, shownStart } from '../json-in.ts';
import { MarkedStates } from '../marked-states.ts';
import { MOST_RESULT_BYTES, MOST_STATE_BYTES } from './limits.ts';
import { type LookupTable, lookupTable } from './lookup-table.ts';
import { answerSchema, type SimulatedConfig, simulatedTool, type SimulatedTool } from './simulated-config.ts';

/** A tool with its table; undefined for one that the model plays. */
interface PlayedTool {
  readonly tool: SimulatedTool;
  readonly table: LookupTable | undefined;
}

/** The schemas of a tool of a row besides that of its arguments. */
const SCHEMAS = { output_schema: 'outputSchema' } as const;

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
  const listed = typeof config.tools === 'string' ? toolsOfRow(simulatedTool, valueOf('tools'), SCHEMAS) : config.tools;
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
  return new SimulatedWorld({ tools, modelAlias, systemPrompt }, state);
}

function stateIn(given: CellValue): CellValue {
  const state = jsonIn(given, 'state');
  if (!isList(state) && !isFields(state))
    throw new Error(`its state is neither an object nor a list: ${shownStart(state)}`);
  const mistake = sizeMistake('its state', stringifyJson(state), MOST_STATE_BYTES);
  if (mistake !== undefined) throw new Error(mistake);
  return state;
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

/** The world of a row over its JSON state. */
class SimulatedWorld extends MarkedStates<CellValue> implements OpenEnvironment {
  readonly #scene: Scene;

  constructor(scene: Scene, state: CellValue) {
    super(state);
    this.#scene = scene;
  }

  get tools(): OpenEnvironment['tools'] {
    return this.#scene.tools.map(({ tool }) => toolOf(tool));
  }

  async call(call: EnvironmentCall): Promise<CallResult> {
    const played = this.#scene.tools.find(({ tool }) => tool.name === call.name);
    if (!played) return NO_SUCH_TOOL;
    const { tool, table } = played;
    if (!table) return this.#play(tool, call);
    const entry = table.find(call.arguments as CellValue);
    return entry ? resultOf(entry.result) : failed(`no entry has these arguments: ${stringifyJson(call.arguments)}`);
  }

  fork(): OpenEnvironment {
    return new SimulatedWorld(this.#scene, this.state);
  }

  async snapshot(): Promise<CellValue> {
    return this.state;
  }

  async #play(tool: SimulatedTool, { arguments: args, signal, ask }: EnvironmentCall): Promise<CallResult> {
    const { modelAlias = '', systemPrompt } = this.#scene;
    const before = this.state;
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
    this.state = state;
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
