import { completion } from '@data-designer/testing/answering-server';

/** A request to a model, as far as scripts read it. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | null;
    readonly tool_calls?: readonly object[];
  }[];
  /** The seed of an attempt. */
  readonly seed?: number;
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** A call that a script makes. */
export interface ScriptedCall {
  readonly name: string;
  readonly arguments: object;
}

/** What a simulated user does in its turns: calls, then a message. */
export type UserScript = readonly { readonly calls?: readonly ScriptedCall[]; readonly say: string }[];

/** The answer of a model that calls tools. */
export function toolCalls(calls: readonly ScriptedCall[], id: string | number): object {
  const tool_calls = calls.map(({ name, arguments: args }, at) => ({
    id: `call_${id}_${at}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  const choice = { message: { role: 'assistant', content: null, tool_calls }, finish_reason: 'tool_calls' };
  return { choices: [choice], usage: { prompt_tokens: 1, completion_tokens: 1 } };
}

/** Plays a model that makes the calls of its prompt turn by turn, then answers with the results of all. */
export function playAgent({ messages }: ModelRequest): object {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user'));
  const done = since.filter(({ role }) => role === 'assistant').length;
  const turn = turnsOf(messages)[done];
  if (turn) return toolCalls(turn, done);
  const results = since.filter(({ role }) => role === 'tool').map(({ content }) => content);
  return completion(messages.at(-1)?.content === 'Hello!' ? 'Hello!' : results.join('\n'));
}

/** The last prompt of the user, which a test writes as JSON: the calls of each turn. */
function turnsOf(messages: ModelRequest['messages']): readonly (readonly ScriptedCall[])[] {
  const [line = ''] = (messages.findLast(({ role }) => role === 'user')?.content ?? '').split('\n');
  return line.startsWith('[[') ? (JSON.parse(line) as ReturnType<typeof turnsOf>) : [];
}

/** Plays a simulated user whose system prompt is a `UserScript` as JSON. */
export function playUser({ messages }: ModelRequest): object {
  const script = JSON.parse(messages[0]?.content ?? '[]') as UserScript;
  const own = messages.filter(({ role }) => role === 'assistant');
  const turn = own.filter(({ tool_calls: calls }) => !calls).length;
  const { calls = [], say } = script[turn] ?? { say: '[DONE]' };
  const isDone = messages.at(-1)?.role === 'tool';
  return calls.length > 0 && !isDone ? toolCalls(calls, `u${turn}`) : completion(say);
}
