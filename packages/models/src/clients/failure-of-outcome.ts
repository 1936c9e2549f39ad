import { type CallOutcome, DataDesignerError } from '@data-designer/core';
import { providerText } from './provider-text.ts';

/** What was asked, as a failure says it. */
export interface Asked {
  readonly model: string;
  readonly timeoutMs: number;
}

interface Refusal {
  readonly status: number;
  /** The body in lower case. */
  readonly body: string;
}

const says = (words: readonly string[]) => {
  return ({ body }: Refusal): boolean => words.some((word) => body.includes(word));
};
const isStatus = (...statuses: readonly number[]) => {
  return ({ status }: Refusal): boolean => statuses.includes(status);
};

const saysQuota = says([
  'credit balance is too low',
  'purchase credits',
  'out of credits',
  'not enough credits',
  'insufficient credits',
  'insufficient_quota',
  'insufficient quota',
  'quota exceeded',
]);
const saysContext = says(['context window', 'context length', 'maximum context', 'too many tokens', 'max tokens']);
const saysParameter = says([
  'unsupported parameter',
  'not supported',
  'unknown parameter',
  'cannot both be specified',
  'please use only one',
  'mutually exclusive',
]);

/** What a refusal means, by status and words: the first line that fits counts (as in NeMo Data Designer). */
const KINDS = [
  ['model/quota-exceeded', (refusal: Refusal) => refusal.status === 402 || saysQuota(refusal)],
  ['model/unauthorized', isStatus(401)],
  ['model/permission-denied', isStatus(403)],
  ['model/not-found', isStatus(404)],
  ['model/timed-out', isStatus(408)],
  [
    'model/context-exceeded',
    (refusal: Refusal) => refusal.status === 413 || (refusal.status === 400 && saysContext(refusal)),
  ],
  ['model/unprocessable', isStatus(422)],
  ['model/rate-limited', isStatus(429)],
  ['model/unsupported-parameter', (refusal: Refusal) => refusal.status === 400 && saysParameter(refusal)],
  ['model/server-error', ({ status }: Refusal) => status >= 500],
  ['model/rejected', () => true],
] as const;

const NOT_MULTIMODAL = 'is not a multimodal model';
const REMEDY = 'Use a model that can be shown pictures, or take multi_modal_context out.';

/** The failure that an outcome without success means, with the provider's words, the cause and what to do. */
export function failureOfOutcome({ status, body }: CallOutcome, { model, timeoutMs }: Asked): DataDesignerError {
  const refusal = { status, body: body.toLowerCase() };
  const [code] = KINDS.find(([, fits]) => fits(refusal)) as (typeof KINDS)[number];
  const reason = providerText(body);
  if (code === 'model/timed-out') return new DataDesignerError(code, { model, timeoutMs });
  if (code === 'model/rate-limited') return new DataDesignerError(code, { model, reason });
  if (code === 'model/rejected' && refusal.body.includes(NOT_MULTIMODAL)) {
    return new DataDesignerError(code, { model, status, reason, remedy: REMEDY });
  }
  return new DataDesignerError(code, { model, status, reason });
}
