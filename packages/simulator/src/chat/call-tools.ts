import type { Random, ToolCall } from '@data-designer/core';
import { pick } from '../draws.ts';
import type { Turn } from './turn.ts';
import type { OfferedTool } from './chat-request.ts';
import { drawValue } from './draw-value.ts';
import { asSchema } from './resolve-schema.ts';

const MOST_ROUNDS = 2;
const SHARE_OF_PARALLEL_CALLS = 0.25;
const NOT_OFFERED = 'tool_that_does_not_exist';
const NEVER_OFFERED: OfferedTool = { type: 'function', function: { name: NOT_OFFERED } };

/** The tools the model calls in this turn; none when it is done with them. */
export function callTools(turn: Turn): readonly ToolCall[] {
  if (turn.fault === 'stray-tools' && !turn.request.tools?.length) {
    return [callOne([NEVER_OFFERED], turn, turn.draws.of('answer'))];
  }
  const tools = toolsToChoose(turn);
  if (tools.length === 0 || !wantsTools(turn)) return [];
  const random = turn.draws.of('answer');
  const calls = [callOne(tools, turn, random)];
  if (random.float() < SHARE_OF_PARALLEL_CALLS) calls.push(callOne(tools, turn, random));
  return calls;
}

/** The tools the request leaves to choose from; those that the question names come first. */
function toolsToChoose({ request, prompt }: Turn): readonly OfferedTool[] {
  const { tools, tool_choice: choice } = request;
  if (tools === undefined || tools === null || choice === 'none') return [];
  if (typeof choice === 'object' && choice !== null) {
    return tools.filter((tool) => tool.function.name === choice.function.name);
  }
  const named = tools.filter((tool) => prompt.text.includes(tool.function.name));
  return named.length > 0 ? named : tools;
}

/** Whether the conversation goes on with tools: for 0 to 2 rounds, at least one when it opens with the word "tool". */
function wantsTools({ request, prompt, shared, fault }: Turn): boolean {
  if (fault === 'endless-tools' || (request.tool_choice ?? 'auto') !== 'auto') return true;
  const drawn = shared.of('conversation').below(MOST_ROUNDS + 1);
  const mustCall = fault === 'bad-arguments' || fault === 'unknown-tool' || /\btools?\b/i.test(prompt.opening);
  return prompt.toolRounds < (mustCall ? Math.max(drawn, 1) : drawn);
}

function callOne(tools: readonly OfferedTool[], { prompt, fault }: Turn, random: Random): ToolCall {
  const id = `call_${hex(random)}${hex(random)}`;
  const tool = pick(tools, random).function;
  const root = { type: 'object', ...asSchema(tool.parameters) };
  const text = JSON.stringify(drawValue(root, { root, prompt, random, name: '', about: tool.description, depth: 0 }));
  const name = fault === 'unknown-tool' ? NOT_OFFERED : tool.name;
  return { id, type: 'function', function: { name, arguments: fault === 'bad-arguments' ? text.slice(0, -1) : text } };
}

function hex(random: Random): string {
  return random
    .below(16 ** 12)
    .toString(16)
    .padStart(12, '0');
}
