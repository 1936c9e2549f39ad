import type { Random, ToolCall } from '@data-designer/core';
import { pick } from '../draws.ts';
import type { Turn } from './turn.ts';
import type { OfferedTool } from './chat-request.ts';
import { drawValue } from './draw-value.ts';
import { orderedCalls } from './ordered-calls.ts';
import { callKey } from './prompt.ts';
import { asSchema } from './resolve-schema.ts';

const MOST_ROUNDS = 2;
/** Draws for a call that is no repetition. */
const MOST_DRAWS = 8;
const SHARE_OF_PARALLEL_CALLS = 0.25;
/** How often the model answers although calls that the question spells out are missing. */
const SHARE_OF_FORGOTTEN_CALLS = 0.3;
const NOT_OFFERED = 'tool_that_does_not_exist';
const NEVER_OFFERED: OfferedTool = { type: 'function', function: { name: NOT_OFFERED } };

/** The tools the model calls in this turn; none when it is done with them. */
export function callTools(turn: Turn): readonly ToolCall[] {
  if (turn.fault === 'stray-tools' && !turn.request.tools?.length) {
    return [callOne([NEVER_OFFERED], turn, turn.draws.of('answer'))];
  }
  const tools = toolsToChoose(turn);
  const ordered = callsInOrder(tools, turn);
  if (ordered !== undefined) return ordered;
  if (tools.length === 0 || !wantsTools(turn)) return [];
  const random = turn.draws.of('answer');
  const made = new Set(turn.prompt.calls);
  const calls = [callAnew(tools, turn, { random, made })];
  if (random.float() < SHARE_OF_PARALLEL_CALLS) calls.push(callAnew(tools, turn, { random, made }));
  return calls.filter((call) => call !== undefined);
}

/** The next of the calls that the question spells out, and no other one; undefined if it spells out none. */
function callsInOrder(tools: readonly OfferedTool[], { request, prompt, draws, fault }: Turn) {
  if (fault !== undefined || (request.tool_choice ?? 'auto') !== 'auto') return undefined;
  const names = new Set(tools.map((tool) => tool.function.name));
  const asked = new Set([prompt.opening, prompt.text]);
  const ordered = [...asked].flatMap((text) => orderedCalls(text, names));
  if (ordered.length === 0) return undefined;
  const made = [...prompt.calls];
  const next = ordered.find((call) => {
    const at = made.indexOf(callKey({ function: call }));
    if (at >= 0) made.splice(at, 1);
    return at < 0;
  });
  const random = draws.of('answer');
  if (next === undefined || random.float() < SHARE_OF_FORGOTTEN_CALLS) return [];
  return [{ id: callId(random), type: 'function', function: next } as const];
}

/**
 * A call that the conversation has not had, of a tool that the question names or else of any. Named tools without
 * arguments may be called again, and so may any tool if a fault or the request demands a call.
 */
function callAnew(
  named: readonly OfferedTool[],
  turn: Turn,
  { random, made }: { readonly random: Random; readonly made: Set<string> },
): ToolCall | undefined {
  const { tools, tool_choice: choice } = turn.request;
  const isFree = turn.fault === undefined && (choice ?? 'auto') === 'auto';
  for (let draw = 1; draw <= MOST_DRAWS; draw++) {
    const isNamed = draw <= MOST_DRAWS / 2;
    const call = callOne(isNamed ? named : (tools ?? []), turn, random);
    const key = callKey(call);
    if (isFree && made.has(key) && !(isNamed && call.function.arguments === '{}')) continue;
    made.add(key);
    return call;
  }
  return undefined;
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
  const mustCall = fault === 'bad-arguments' || fault === 'unknown-tool' || /\btools?\b/i.test(prompt.start);
  return prompt.toolRounds < (mustCall ? Math.max(drawn, 1) : drawn);
}

function callOne(tools: readonly OfferedTool[], { prompt, fault }: Turn, random: Random): ToolCall {
  const id = callId(random);
  const tool = pick(tools, random).function;
  const root = { type: 'object', ...asSchema(tool.parameters) };
  const text = JSON.stringify(drawValue(root, { root, prompt, random, name: '', about: tool.description, depth: 0 }));
  const name = fault === 'unknown-tool' ? NOT_OFFERED : tool.name;
  return { id, type: 'function', function: { name, arguments: fault === 'bad-arguments' ? text.slice(0, -1) : text } };
}

function callId(random: Random): string {
  return `call_${hex(random)}${hex(random)}`;
}

function hex(random: Random): string {
  return random
    .below(16 ** 12)
    .toString(16)
    .padStart(12, '0');
}
