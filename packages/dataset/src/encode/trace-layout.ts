import { type CellValue, type Fields, isFields, type Message } from '@data-designer/core';

/** A message as NeMo Data Designer stores it: its content as a list of parts, and only the members that it has. */
export function messageOf(message: Readonly<Message>): CellValue {
  const {
    role,
    content,
    content_parts: parts,
    reasoning_content: reasoning,
    tool_calls: calls,
    tool_call_id: id,
  } = message;
  const texts = (parts ?? []).map(({ type, text, url }) => ({ type, text: text ?? url }));
  return {
    role,
    content: texts.length > 0 ? texts : [{ type: 'text', text: content ?? '' }],
    ...(typeof reasoning === 'string' ? { reasoning_content: reasoning } : {}),
    ...(calls ? { tool_calls: calls as unknown as CellValue } : {}),
    ...(typeof id === 'string' ? { tool_call_id: id } : {}),
  };
}

/** Whether the name is that of a trace. */
export function isTraceName(name: string): boolean {
  return name.endsWith('__trace');
}

/** A trace as this project stores it, of one that may be in the other layout. */
export function readTrace(value: CellValue): CellValue {
  return Array.isArray(value) ? value.map((message) => (isFields(message) ? readMessage(message) : message)) : value;
}

function readMessage(fields: Fields): CellValue {
  const message = fields as Readonly<Record<string, CellValue>>;
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const texts = content.map((part) => (isFields(part) ? part : {}));
  const [first] = texts;
  const isText = texts.length <= 1 && (first?.['type'] ?? 'text') === 'text';
  const text = (first?.['text'] as CellValue | undefined) ?? null;
  const hasCalls = Array.isArray(message['tool_calls']);
  return {
    role: message['role'] ?? null,
    content: isText ? (hasCalls && text === '' ? null : text) : null,
    reasoning_content: message['reasoning_content'] ?? null,
    tool_calls: message['tool_calls'] ?? null,
    tool_call_id: message['tool_call_id'] ?? null,
    content_parts: isText ? null : (texts.map(partOf) as CellValue),
    model: null,
    usage: null,
    finish_reason: null,
    extra: null,
  };
}

/** A part as this project stores it; the other layout has the address of media in `text`. */
function partOf({ type, text }: Fields): CellValue {
  const kind = typeof type === 'string' ? type : 'text';
  const value = (text ?? null) as CellValue;
  const isText = kind === 'text';
  return { type: kind, text: isText ? value : null, media_type: null, url: isText ? null : value };
}
