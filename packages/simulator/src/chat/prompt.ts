import type { ToolCall } from '@data-designer/core';
import { type ChatRequest, textOf, type RequestMessage } from './chat-request.ts';
import { STOCK_WORDS } from './sentences.ts';

/** What a tool gave back, with the name the model called it by. */
export interface ToolResult {
  readonly tool: string;
  readonly text: string;
}

/** Begins at the last opening tag: the Python tool names the tag before it writes the block. */
const SCHEMA_BLOCK = /<response_schema>((?:(?!<response_schema>)[^])*?)<\/response_schema>/;
const STOP = /\[[A-Z]{3,}\]/;
const LONGEST_READ = 4_000;
const MOST_WORDS = 40;
/** A word that is no part of a name such as `get_fact`. */
const WORD = /(?<![\p{L}_])\p{L}[\p{L}\p{M}'-]{3,}(?![\p{L}_])/gu;
/** The instructions on JSON at the end of a question. */
const ON_JSON = /\n[^\n]*\bJSON\b[^]*$/;
/** A word that does not lead on to something else. */
const NOUN =
  String.raw`(?!(?:and|are|as|at|before|by|for|from|has|in|into|is|it|not|of|on|or|so|than|that|to|use|was|when|which|who|with)\b)` +
  String.raw`\p{L}[\p{L}\p{M}'-]+`;
/** What a question is about, as "the full moon" in "Write about the full moon in two lines". */
const SUBJECT = new RegExp(
  String.raw`\b(?:about|describe|explain|praise|regarding|review)\s+((?:(?:an?|the|their|your|my|his|her|its) )?${NOUN}(?: ${NOUN}){0,2})`,
  'giu',
);
const OWNER = /^(?:their|your|my|his|her|its) /i;
/** Stands in for the words of a question that has none. */
const NO_WORD = 'the question';
/** Further words that say nothing about the subject of a question. */
const PLAIN_WORDS = new Set(
  (
    'above after again aged also always another anything being below bring check clear could does each eight every ' +
    'everything exactly explain first five following four gather give given gives goes have here high into just keep ' +
    'kind know largest lasts later least less level like line look made make makes many melts message might more most must ' +
    'name nine none nothing once only others over part please praise question quiz reached said same second sentence ' +
    'sentences seven shorter should shows something stores such take tell tells than that their them then there these ' +
    'they thing this those thousand through tool tools travels turn twice under until upon using very want wants well ' +
    'were what when where which whole will within word words worth write year years young your boils freezes curious ' +
    'judge retired round female'
  ).split(' '),
);
/** Endings of adverbs and of forms of verbs, which read badly in the place of a noun. */
const PLAIN_ENDING = /(?:ed|ing|ly)$/;

/** The inputs of an answer: the question, its words, and the tool results since. */
export class Prompt {
  /** The text of the last user message, without the schema it may carry. */
  readonly text: string;
  /** The JSON Schema between `<response_schema>` tags in that message, else in the first one or the system message, as text. */
  readonly schemaText: string | undefined;
  /** The text of the first user message: the same all through a conversation. */
  readonly opening: string;
  /** The same; behind the system message if it has no telling word, as of a model that plays a user. */
  readonly start: string;
  /** The phrase in capitals that ends the conversation, as the system message names it: `[DONE]`. */
  readonly stop: string | undefined;
  /** Whether the model has answered before. */
  readonly isLater: boolean;
  /** Assistant turns that called tools, in the whole conversation. */
  readonly toolRounds: number;
  /** Results since the last user message. */
  readonly toolResults: readonly ToolResult[];
  /** The tool calls of the whole conversation in their order, as `callKey` writes them. */
  readonly calls: readonly string[];
  /** The text of the system messages, without a schema. */
  readonly #system: string;
  #words: readonly string[] | undefined;
  #subjects: readonly string[] | undefined;
  #details: readonly string[] | undefined;

  constructor({ messages }: ChatRequest) {
    const asks = messages.filter(({ role }) => role === 'user');
    this.opening = asks[0] === undefined ? '' : textOf(asks[0]);
    const last = asks.at(-1) ?? messages.at(-1);
    const text = last === undefined ? '' : textOf(last);
    const system = textOfSystem(messages);
    this.schemaText = [text, this.opening, system].map((one) => SCHEMA_BLOCK.exec(one)?.[1]).find(Boolean);
    this.text = text.replace(SCHEMA_BLOCK, '');
    this.#system = system.replace(SCHEMA_BLOCK, '').replace(STOP, '');
    this.start = saysNothing(this.opening) ? `${this.#system}\n${this.opening}` : this.opening;
    this.stop = STOP.exec(system)?.[0];
    this.isLater = asks.length > 1;
    this.toolRounds = messages.filter(calledTools).length;
    this.calls = messages.flatMap(({ tool_calls: calls }) => (calls ?? []).map(callKey));
    this.toolResults = this.toolRounds === 0 ? [] : resultsAfter(messages, last);
  }

  /** The telling words of the question, or of the system message if it has none; each once and in order, never empty. */
  get words(): readonly string[] {
    return (this.#words ??= tellingWords(this.#question));
  }

  /** What the question is about; its telling words if it does not say. Never empty. */
  get subjects(): readonly string[] {
    this.#subjects ??= subjectsOf(this.#question);
    return this.#subjects.length === 0 ? this.words : this.#subjects;
  }

  get #question(): string {
    return saysNothing(this.text) ? this.#system : this.text;
  }

  /** The telling words of the tool results and, without any, of the question; never empty. */
  get details(): readonly string[] {
    const results = this.toolResults.map(({ text }) => text).join('\n');
    return (this.#details ??= results === '' ? this.words : tellingWords(results));
  }
}

/** A tool call as text: equal for calls of the same tool with the same arguments. */
export function callKey({ function: { name, arguments: args } }: Pick<ToolCall, 'function'>): string {
  return `${name} ${args}`;
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

function textOfSystem(messages: readonly RequestMessage[]): string {
  return messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(textOf)
    .join('\n');
}

function saysNothing(text: string): boolean {
  for (const [word] of questionOf(text).matchAll(WORD)) if (!isPlain(word)) return false;
  return true;
}

function tellingWords(text: string): readonly string[] {
  const found = new Map<string, string>();
  for (const [word] of questionOf(text).matchAll(WORD)) {
    if (isPlain(word)) continue;
    const key = word.toLowerCase();
    if (!found.has(key)) found.set(key, word);
    if (found.size === MOST_WORDS) break;
  }
  return found.size === 0 ? [NO_WORD] : [...found.values()];
}

function isPlain(word: string): boolean {
  const lower = word.toLowerCase();
  return PLAIN_WORDS.has(lower) || STOCK_WORDS.has(lower) || PLAIN_ENDING.test(lower);
}

/** What a text says it is about, if it does. */
function subjectsOf(text: string): readonly string[] {
  const phrases = Array.from(questionOf(text).matchAll(SUBJECT), ([, phrase = '']) => phrase.replace(OWNER, 'the '));
  return [...new Set(phrases)].filter((phrase) => tellingWords(phrase)[0] !== NO_WORD);
}

/** The part of a text that is read for words: its beginning, without instructions on JSON. */
function questionOf(text: string): string {
  return text.slice(0, LONGEST_READ).replace(ON_JSON, '');
}
