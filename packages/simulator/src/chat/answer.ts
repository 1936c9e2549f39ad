import { callTools } from './call-tools.ts';
import type { ChatRequest } from './chat-request.ts';
import { completionTokensOf, UNITS_PER_TOKEN } from './count-tokens.ts';
import type { ToolResult } from './prompt.ts';
import type { Answer, Turn } from './turn.ts';
import { languageAsked, writeCode } from './write-code.ts';
import { writeSentence, writeSentences } from './write-sentences.ts';
import { structureAsked, writeStructured } from './write-structured.ts';

const LONGEST_QUOTE = 200;
const SHARE_OF_STOPS = 0.3;
const SENTENCE = /^\p{Lu}.{10,200}\.$/u;

/** Answers one turn; the same turn gives the same answer. */
export function answer(turn: Turn): Answer {
  const toolCalls = callTools(turn);
  const whole: Answer =
    toolCalls.length > 0
      ? { content: null, toolCalls, finishReason: 'tool_calls' }
      : { content: write(turn), toolCalls, finishReason: 'stop' };
  return limit(withFault(whole, turn), turn.request);
}

function write(turn: Turn): string {
  const { request, prompt, draws, fault } = turn;
  const random = draws.of('answer');
  const structure = structureAsked(request, turn);
  if (structure !== undefined) return writeStructured(structure, { prompt, random, broken: fault === 'wrong-schema' });
  const language = languageAsked(prompt.text) ?? languageAsked(prompt.opening);
  if (language !== undefined) return writeCode(language, prompt, random);
  const quotes = new Set(prompt.toolResults.map(quote));
  const text = ofLength([...quotes, writeSentences(prompt, random)].join('\n'), turn);
  return prompt.stop !== undefined && prompt.isLater && random.float() < SHARE_OF_STOPS
    ? `${text} ${prompt.stop}`
    : text;
}

/** What a tool returned: repeated as it is if it is one sentence, else quoted with the tool's name. */
function quote({ tool, text }: ToolResult): string {
  return SENTENCE.test(text) ? text : `According to ${tool}: "${text.slice(0, LONGEST_QUOTE)}"`;
}

/** Text of the length that is asked for: cut, or with further sentences. */
function ofLength(text: string, { outputTokens, request, prompt, draws }: Turn): string {
  const allowed = mostTokens(request);
  const tokens = outputTokens === 'max' ? allowed : Math.min(allowed, outputTokens ?? Number.POSITIVE_INFINITY);
  if (outputTokens === undefined || tokens === Number.POSITIVE_INFINITY) return text;
  const random = draws.of('reasoning');
  const parts = [text];
  const most = tokens * UNITS_PER_TOKEN;
  for (let length = text.length; length < most; length += 1 + (parts.at(-1) as string).length) {
    parts.push(writeSentence(prompt, random));
  }
  return parts.join(' ').slice(0, most);
}

function withFault(whole: Answer, { fault, prompt, draws }: Turn): Answer {
  if (fault === 'empty') return { content: '', toolCalls: [], finishReason: 'stop' };
  if (fault === 'length') return cut(whole, Math.ceil((whole.content?.length ?? 0) / 2));
  if (fault !== 'think' && fault !== 'reasoning') return whole;
  const reasoning = writeSentence(prompt, draws.of('reasoning'));
  if (fault === 'reasoning') return { ...whole, reasoning };
  return { ...whole, content: `<think>\n${reasoning}\n</think>\n${whole.content ?? ''}` };
}

/** Keeps an answer within the tokens the request allows: text is cut, tool calls that do not fit are lost. */
function limit(whole: Answer, request: ChatRequest): Answer {
  const most = mostTokens(request);
  return completionTokensOf(whole) > most ? cut(whole, most * UNITS_PER_TOKEN) : whole;
}

function mostTokens({ max_completion_tokens: ofAll, max_tokens: most }: ChatRequest): number {
  return ofAll ?? most ?? Number.POSITIVE_INFINITY;
}

function cut({ content }: Answer, length: number): Answer {
  return { content: (content ?? '').slice(0, length), toolCalls: [], finishReason: 'length' };
}
