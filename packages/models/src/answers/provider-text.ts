import { isFields, tryParse } from '@data-designer/core';

const LONGEST = 500;

/** The message in the body of a refusal, at most 500 characters, without a full stop at the end. */
export function providerText(body: string): string {
  const text = (messageOf(tryParse(body, JSON.parse)) ?? body).replaceAll(/\s+/g, ' ').trim() || 'no reason given';
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return short.replace(/\.+$/, '');
}

/** The text at `message`, `error` or `detail`: as it is, within an object, or a list of objects with `msg`. */
function messageOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value || undefined;
  if (Array.isArray(value)) return value.flatMap((part) => messageOf(part) ?? []).join('; ') || undefined;
  if (!isFields(value)) return undefined;
  const { message, error, detail, msg } = value;
  return messageOf(message) ?? messageOf(error) ?? messageOf(detail) ?? messageOf(msg);
}

/** Why the body of a success cannot be read. */
export function unusableReason(body: string): string {
  if (body.trim() === '') return 'it is empty';
  if (/^\s*</.test(body)) return 'it is not a JSON object; check that the endpoint is a chat API';
  if (/^\s*(?:data|event|id|retry)?:/.test(body)) return 'it is a stream of events that ends before the answer does';
  return 'its body is not valid JSON';
}
