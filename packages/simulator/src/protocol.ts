import { type Fields, fieldsOf } from '@data-designer/core';
import type { IncomingMessage } from 'node:http';
import type { Draws } from './draws.ts';
import type { Fault } from './fault.ts';
import type { Tokens } from './ledger.ts';
import type { Refusal } from './refusal.ts';
import type { Settings } from './settings.ts';

/** The inputs of a reply other than the request. */
export interface ReplyInputs {
  readonly settings: Settings;
  readonly headers: IncomingMessage['headers'];
  /** The SHA-256 of the request's body, in hexadecimal. */
  readonly hash: string;
  /** The draws of this request. */
  readonly draws: Draws;
  /** How often its body was seen before. */
  readonly timesSeen: number;
}

/** A proper answer, and the fault that shall be shown instead of it or with it, if any. */
export interface Reply {
  readonly body: string;
  readonly tokens: Tokens;
  readonly fault: Fault | undefined;
  /** Said instead of the answer. */
  readonly refusal?: Refusal;
}

/** A way in which the server can be asked. */
export interface Protocol<Request extends { readonly model: string } = { readonly model: string }> {
  /** What a real server would refuse in a parsed body; undefined means that it is a `Request`. */
  readonly check: (body: unknown, asked: Pick<ReplyInputs, 'headers' | 'settings'>) => Refusal | undefined;
  readonly reply: (request: Request, asked: ReplyInputs) => Reply;
  /** The JSON body of a refusal. */
  readonly refusalBody: (refusal: Refusal) => string;
  /** What stands in a body before a text of the model; undefined where answers hold no text. */
  readonly textKey: string | undefined;
  /** How a body shows faults in the form of the protocol; the others leave it as it is. */
  readonly flaws: Readonly<Partial<Record<'no-choices' | 'choice-error' | 'object-content', (body: string) => string>>>;
}

/** A body of the protocol with some members changed. */
export function changed(body: string, change: (answer: Fields) => object): string {
  const answer = fieldsOf(JSON.parse(body));
  return JSON.stringify({ ...answer, ...change(answer) });
}
