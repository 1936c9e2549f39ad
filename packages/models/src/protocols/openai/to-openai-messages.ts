import { type ChatMessage, type ContentPart, legalToolCall, type ToolCall } from '@data-designer/core';
import { readDataAddress } from '../../data-address.ts';
import { filledParts, NO_ANSWER, NO_CONTENT, textIn } from '../translate-messages.ts';
import type { ChatRequest } from '../../model-client.ts';
import { returnedFields, type WrittenFields, withWrittenFields } from './written-fields.ts';

/**
 * A conversation as chat completions take it, tool calls mended; what fits goes as it is. Answers keep the further fields that
 * their endpoint wrote, such as signatures.
 */
export function toOpenAIMessages(
  messages: readonly ChatMessage[],
  { asWritten, returned, takesKnownFieldsOnly = false }: AnswersBefore = {},
): readonly unknown[] {
  const hasFields = (asWritten?.size ?? 0) > 0 || (returned?.size ?? 0) > 0;
  if (takesKnownFieldsOnly || !hasFields) return messages.every(isPlain) ? messages : messages.flatMap(forModel);
  return messages.flatMap((message, index) => {
    const written = asWritten?.get(message) ?? returnedFields(message, returned?.get(message));
    const sent = forModel(message, index, messages);
    return isWrittenFields(written) ? sent.map((one) => withWrittenFields(one, written)) : sent;
  });
}

/** A conversation in the same form for a record: nothing is mended or filled in. */
export function toOpenAIRecord(messages: readonly ChatMessage[]): readonly unknown[] {
  if (messages.every(isText)) return messages;
  return messages.flatMap((message, index) => translate(message, { index, all: messages, changes: AS_STORED }));
}

function isText({ content, tool_calls: calls }: ChatMessage): boolean {
  return typeof content === 'string' || (content === null && calls !== undefined);
}

/** What stands for an empty answer and an empty result, and what becomes of a call. */
interface Changes {
  readonly noAnswer: string;
  readonly noContent: string;
  readonly call: (call: ToolCall) => ToolCall;
}

const FOR_MODELS: Changes = { noAnswer: NO_ANSWER, noContent: NO_CONTENT, call: legalToolCall };
const AS_STORED: Changes = { noAnswer: '', noContent: '', call: (call) => call };

/** Where a message stands, and what it is written for. */
interface Setting {
  readonly index: number;
  readonly all: readonly ChatMessage[];
  readonly changes: Changes;
}

function forModel(message: ChatMessage, index: number, all: readonly ChatMessage[]): unknown[] {
  return translate(message, { index, all, changes: FOR_MODELS });
}

/** The further fields of answers in a request: of this tool loop as they were written, and of the history. */
type AnswersBefore = Pick<ChatRequest, 'asWritten' | 'returned' | 'takesKnownFieldsOnly'>;

/** What `readCompletion` kept. */
function isWrittenFields(written: unknown): written is WrittenFields {
  return typeof written === 'object' && written !== null && 'calls' in written;
}

function isPlain({ role, content, tool_calls: calls }: ChatMessage): boolean {
  if (calls?.some((call) => legalToolCall(call) !== call)) return false;
  if (typeof content !== 'string') return content === null && calls !== undefined;
  if (role === 'tool') return content.trim() !== '';
  return content !== '' || role !== 'assistant';
}

function translate(message: ChatMessage, setting: Setting): unknown[] {
  const { role, content, tool_calls: calls } = message;
  const { changes } = setting;
  if (role === 'tool') return fromTool(message, setting);
  if (role === 'assistant' && !content && !calls) return [{ ...message, content: changes.noAnswer }];
  const shown = isParts(content) ? { ...message, content: partsOf(content) } : message;
  return [calls ? { ...shown, tool_calls: calls.map(changes.call) } : shown];
}

/**
 * A tool message may hold text only: its first medium and everything after it follow, in order, in a user message behind
 * the last tool message of the turn.
 */
function fromTool(message: ChatMessage, { index, all, changes }: Setting): unknown[] {
  const { content } = message;
  const text = isParts(content) ? textBeforeMedia(content) : (content ?? '');
  const own = [{ ...message, content: text.trim() === '' ? changes.noContent || text : text }];
  if (all[index + 1]?.role === 'tool') return own;
  const first = all.findLastIndex(({ role }, at) => at < index && role !== 'tool') + 1;
  const shown = all.slice(first, index + 1).flatMap(fromFirstMedium);
  if (shown.length === 0) return own;
  return [...own, { role: 'user', content: [{ type: 'text', text: SHOWN }, ...partsOf(shown)] }];
}

const SHOWN = 'This is what the tools have given beside their text:';

function isParts(content: ChatMessage['content']): content is readonly ContentPart[] {
  return Array.isArray(content);
}

function textBeforeMedia(content: readonly ContentPart[]): string {
  const medium = firstMedium(content);
  const text = textIn({ content: content.slice(0, medium) });
  return text.trim() === '' && medium < content.length ? 'What it gave is shown below.' : text;
}

function fromFirstMedium({ content }: ChatMessage): readonly ContentPart[] {
  return isParts(content) ? filledParts(content.slice(firstMedium(content))) : [];
}

function firstMedium(content: readonly ContentPart[]): number {
  const at = content.findIndex(({ type }) => type !== 'text');
  return at < 0 ? content.length : at;
}

function partsOf(parts: readonly ContentPart[]): unknown[] {
  return parts.map((part) => PARTS[part.type](part));
}

/** How each kind of part is written (as in NeMo Data Designer). */
const PARTS: Readonly<Record<ContentPart['type'], (part: ContentPart) => unknown>> = {
  text: ({ text }) => ({ type: 'text', text }),
  image: ({ url }) => ({ type: 'image_url', image_url: { url } }),
  audio: ({ url = '' }) => {
    const sound = readDataAddress(url);
    if (!sound) return { type: 'audio_url', audio_url: { url } };
    return { type: 'input_audio', input_audio: { data: sound.base64, format: audioFormat(sound.mediaType) } };
  },
  video: ({ url }) => ({ type: 'video_url', video_url: { url } }),
};

/** The protocol's name for a kind of sound: `audio/mpeg` is mp3, `audio/x-wav` is wav. */
function audioFormat(mediaType: string): string {
  const name = mediaType.slice(mediaType.indexOf('/') + 1).replace(/^x-/, '');
  return name === 'mpeg' ? 'mp3' : name === 'wave' ? 'wav' : name;
}
