import type { Random } from '@data-designer/core';

/** What can go wrong on purpose, and what the client then sees. */
export const FAULTS = {
  reset: 'The connection is reset before anything is answered.',
  hang: 'Nothing is ever answered.',
  stall: 'The answer begins, and never goes on after half its body.',
  truncate: 'The connection ends in the middle of the body.',
  'bad-json': 'Status 200 with a body that is broken JSON.',
  html: 'Status 200 with a page of HTML.',
  'wrong-schema': 'A structured answer that breaks its schema.',
  'endless-tools': 'Tool calls in every turn of a conversation that offers tools.',
  'bad-arguments': 'Tool calls whose arguments are broken JSON.',
  'unknown-tool': 'A call of a tool that was not offered.',
  'stray-tools': 'A tool call and no text where no tools were offered.',
  'no-choices': 'Status 200 with an empty list of choices, and the tokens that it took.',
  'choice-error': 'Status 200 with half an answer, whose choice carries an error and the finish reason error.',
  'object-content': 'A message whose content is an object.',
  'bad-utf8': 'A message with a byte that is no UTF-8.',
  'gzip-bomb': 'Status 200 with a packed body of 1 MB that unpacks to 1 GB.',
  empty: 'A message without content.',
  length: 'An answer cut in the middle, with finish_reason length.',
  think: 'Content that starts with a <think> block.',
  reasoning: 'A message with reasoning_content.',
  quota: 'Status 429 from an account that has nothing left to spend.',
  'too-long': 'Status 400 since the request is longer than the context of the model.',
  'no-schema': 'A response_format with a JSON Schema is refused with status 400.',
  'ignores-schema': 'A response_format with a JSON Schema is passed over.',
} as const;

/** A fault by name, or an HTTP status from 400 to 599 as text. */
export type Fault = keyof typeof FAULTS | `${number}`;

/** How often each fault happens, as a share of requests. */
export type FaultRates = ReadonlyMap<Fault, number>;

const STATUS = /^[45]\d\d$/;
const FAULTY_MODEL = /^sim-(.+?)(-once)?$/;

/** The status a fault answers with, if it is one of those. */
export function statusOf(fault: Fault): number | undefined {
  return STATUS.test(fault) ? Number(fault) : undefined;
}

/** Reads `500=0.01,reset=0.01`; undefined if a name or a rate is none, or the rates add up to more than 1. */
export function readFaultRates(text: string): FaultRates | undefined {
  const rates = new Map<Fault, number>();
  for (const entry of text.split(',')) {
    const [name = '', rate = ''] = entry.split('=');
    if (!isFault(name) || !/^(0|1|0?\.\d+|1\.0+)$/.test(rate)) return undefined;
    rates.set(name, Number(rate));
  }
  const total = [...rates.values()].reduce((sum, rate) => sum + rate, 0);
  return total > 1 + Number.EPSILON * rates.size ? undefined : rates;
}

/** The fault a model name such as `sim-500` always shows; `sim-500-once` shows it when a request is first seen. */
export function faultOfModel(model: string, timesSeen: number): Fault | undefined {
  const [, name = '', once] = FAULTY_MODEL.exec(model) ?? [];
  if (!isFault(name) || (once !== undefined && timesSeen > 0)) return undefined;
  return name;
}

/** The fault of one request by rate: one draw against the rates laid end to end; endless tools are drawn elsewhere. */
export function drawFault(rates: FaultRates, random: Random): Fault | undefined {
  let left = random.float();
  for (const [fault, rate] of rates) {
    left -= rate;
    if (left < 0) return fault === 'endless-tools' ? undefined : fault;
  }
  return undefined;
}

function isFault(name: string): name is Fault {
  return Object.hasOwn(FAULTS, name) || STATUS.test(name);
}
