import { type ChatRequest, textOf, type RequestMessage } from './chat-request.ts';

/** What a tool gave back, with the name the model called it by. */
export interface ToolResult {
  readonly tool: string;
  readonly text: string;
}

const SCHEMA_BLOCK = /<response_schema>([^]*?)<\/response_schema>/;
const LONGEST_READ = 4_000;
const MOST_WORDS = 40;
const WORD = /\p{L}[\p{L}\p{M}'-]{3,}/gu;
const PLAIN_WORDS = new Set(
  (
    'about above after again answer before being below between could does each every exactly following from give have ' +
    'here into just like make many more most must only other over please should some such than that their them then ' +
    'there these they this those through tool tools under until using very what when where which while will with ' +
    'within without would write your'
  ).split(' '),
);

/** The inputs of an answer: the question, its words, and the tool results since. */
export class Prompt {
  /** The text of the last user message, without the schema it may carry. */
  readonly text: string;
  /** The JSON Schema between `<response_schema>` tags in that message or else the first one, as text. */
  readonly schemaText: string | undefined;
  /** The text of the first user message: the same all through a conversation. */
  readonly opening: string;
  /** Assistant turns that called tools, in the whole conversation. */
  readonly toolRounds: number;
  /** Results since the last user message. */
  readonly toolResults: readonly ToolResult[];
  #words: readonly string[] | undefined;

  constructor({ messages }: ChatRequest) {
    const asks = messages.filter(({ role }) => role === 'user');
    this.opening = asks[0] === undefined ? '' : textOf(asks[0]);
    const last = asks.at(-1) ?? messages.at(-1);
    const text = last === undefined ? '' : textOf(last);
    this.schemaText = (SCHEMA_BLOCK.exec(text) ?? SCHEMA_BLOCK.exec(this.opening))?.[1];
    this.text = text.replace(SCHEMA_BLOCK, '');
    this.toolRounds = messages.filter(calledTools).length;
    this.toolResults = this.toolRounds === 0 ? [] : resultsAfter(messages, last);
  }

  /** The telling words of the question, each once and in order; never empty. */
  get words(): readonly string[] {
    return (this.#words ??= tellingWords(this.text));
  }
}

function calledTools({ tool_calls: calls }: RequestMessage): boolean {
  return calls !== undefined && calls !== null && calls.length > 0;
}

function resultsAfter(
  messages: readonly RequestMessage[],
  question: RequestMessage | undefined,
): readonly ToolResult[] {
  const names = new Map<string | undefined, string>();
  const results: ToolResult[] = [];
  for (const message of messages.slice(question === undefined ? 0 : messages.lastIndexOf(question) + 1)) {
    for (const call of message.tool_calls ?? []) names.set(call.id, call.function.name);
    if (message.role !== 'tool') continue;
    results.push({ tool: names.get(message.tool_call_id) ?? 'the tool', text: textOf(message).trim() });
  }
  return results;
}

function tellingWords(text: string): readonly string[] {
  const found = new Set<string>();
  for (const [word] of text.slice(0, LONGEST_READ).matchAll(WORD)) {
    if (PLAIN_WORDS.has(word.toLowerCase())) continue;
    found.add(word);
    if (found.size === MOST_WORDS) break;
  }
  return found.size === 0 ? ['the question'] : [...found];
}
