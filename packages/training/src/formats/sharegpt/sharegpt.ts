import { stringifyJson } from '@data-designer/core';
import { type ChatExample, defineTrainingFormat, type TrainingMessage } from '../../training-format.ts';
import {
  callText,
  namedCall,
  objectParameters,
  refuseLaterSystem,
  refuseMarks,
  refuseTextArguments,
  resultsOf,
  splitSystem,
  textIn,
  withThought,
} from '../shared/plain-messages.ts';

/** Conversations as LLaMA-Factory reads them with `formatting: sharegpt`. */
export const sharegpt = defineTrainingFormat<'chat'>({
  kind: 'chat',
  readers: 'LLaMA-Factory',
  lacks: ['images', 'media', 'text_beside_calls', 'unknown_tools'],
  takesFields: true,
  refuse: ({ messages }) =>
    refuseTextArguments(messages) ?? refuseLaterSystem(messages) ?? refuseMarks(messages) ?? refuseTurns(messages),
  toRecord: ({ messages, tools }) => {
    const [system, rest] = splitSystem(messages);
    // LLaMA-Factory needs every column in every row.
    return { conversations: turnsOf(rest), system, tools: shareGptTools(tools) };
  },
});

interface Turn {
  readonly from: 'human' | 'gpt' | 'function_call' | 'observation';
  readonly value: string;
}

/** The messages as turns: the results of one answer are one turn. */
function turnsOf(messages: readonly TrainingMessage[]): readonly Turn[] {
  return messages.flatMap((message, index): Turn[] => {
    const { role, tool_calls: calls } = message;
    if (role === 'tool') return [];
    if (role !== 'assistant') return [{ from: 'human', value: textIn(message) }];
    if (!calls) return [{ from: 'gpt', value: withThought(message, textIn(message)) }];
    const named = calls.map(namedCall);
    const [only] = named;
    const call = withThought(message, callText(named.length === 1 ? only : named));
    const results = (resultsOf(messages, index) ?? []).map(textIn);
    const observed = results.length === 1 ? (results[0] ?? '') : stringifyJson(results);
    return [
      { from: 'function_call', value: call },
      { from: 'observation', value: observed },
    ];
  });
}

/** The tools without the wrapper of OpenAI, as JSON text; empty without tools. */
function shareGptTools(tools: ChatExample['tools']): string {
  if (tools.length === 0) return '';
  return stringifyJson(
    tools.map((tool) => {
      const { name, description } = tool.function;
      return { name, description, parameters: objectParameters(tool) };
    }),
  );
}

function isModel({ from }: Turn): boolean {
  return from === 'gpt' || from === 'function_call';
}

/** LLaMA-Factory drops rows whose turns do not alternate, and rows with its own marks in texts fail. */
function refuseTurns(messages: readonly TrainingMessage[]): string | undefined {
  const [, rest] = splitSystem(messages);
  const called = rest.every(({ tool_calls: calls }, index) => !calls || resultsOf(rest, index) !== undefined);
  if (!called) return 'a tool call without its result';
  const turns = turnsOf(rest);
  if (turns.some((turn, index) => isModel(turn) !== (index % 2 === 1)) || turns.length % 2 === 1) {
    return 'turns that do not alternate between user and assistant';
  }
  return turns.some(({ value }) => /<(?:image|video|audio)>/.test(value))
    ? 'a text with <image>, <video> or <audio>, which LLaMA-Factory takes for media'
    : undefined;
}
