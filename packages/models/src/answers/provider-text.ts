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

/** The characters that are shown of an answer that cannot be read. */
const EXCERPT = 80;

/** Why the body of a success cannot be read, with its beginning, and what to do. */
export function unusableAnswer(body: string): { readonly reason: string; readonly remedy: string } {
  if (body.trim() === '') return { reason: 'it is empty', remedy: `${LOOK}, and for a proxy that drops the body.` };
  const { reason, remedy } = UNUSABLE.find(({ begins }) => begins.test(body)) ?? INVALID;
  const text = body
    .slice(0, 4 * EXCERPT)
    .replaceAll(/\s+/g, ' ')
    .trim();
  const shown = text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text;
  return { reason: `${reason}: ${shown}`, remedy };
}

const LOOK = 'Look at the log of the server';
const INVALID = {
  reason: 'its body is not valid JSON',
  remedy: `${LOOK}, and for a proxy that cuts answers off.`,
} as const;
const UNUSABLE = [
  {
    begins: /^\s*</,
    reason: 'it is not a JSON object',
    remedy: 'Check that the endpoint is the address of a chat API.',
  },
  {
    begins: /^\s*(?:data|event|id|retry)?:/,
    reason: 'it is a stream of events that ends before the answer does',
    remedy: "Turn streaming off at the endpoint, and remove 'stream' from extra_body.",
  },
] as const;
