import {
  type CallLimits,
  type CallOutcome,
  DataDesignerError,
  fieldsOf,
  isRetryableStatus,
  isOutOfCredit,
  tryParse,
} from '@data-designer/core';
import type { AnswerForm } from '../model-protocol.ts';
import { reasonOf } from './model-refusals.ts';
import { providerText, unusableAnswer } from './provider-text.ts';

/** What was asked, as a failure says it. */
export interface RequestFacts extends Pick<CallLimits, 'timeoutMs'> {
  readonly model: string;
  /** The form of the answers of its path. */
  readonly form: AnswerForm | undefined;
}

interface Refusal {
  readonly outcome: CallOutcome;
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

const saysContext = says([
  'context window',
  'context length',
  'maximum context',
  'too many tokens',
  'max tokens',
  'prompt is too long',
]);
const saysParameter = says([
  'unsupported parameter',
  'not supported',
  'unknown parameter',
  'cannot both be specified',
  'please use only one',
  'mutually exclusive',
]);

/** Failure codes by status and words: the first line that matches counts (as in NeMo Data Designer). */
const KINDS = [
  ['model/quota-exceeded', ({ outcome }: Refusal) => isOutOfCredit(outcome)],
  ['model/rejected', ({ outcome }: Refusal) => outcome.verdict === 'about-this'],
  ['model/unauthorized', isStatus(401)],
  ['model/permission-denied', isStatus(403)],
  ['model/not-found', ({ status }: Refusal) => status === 404 || isRedirect(status)],
  ['model/timed-out', isStatus(408)],
  [
    'model/context-exceeded',
    (refusal: Refusal) => refusal.status === 413 || (refusal.status === 400 && saysContext(refusal)),
  ],
  ['model/unprocessable', isStatus(422)],
  ['model/rate-limited', isStatus(429)],
  ['model/unsupported-parameter', (refusal: Refusal) => refusal.status === 400 && saysParameter(refusal)],
  ['model/server-error', ({ status }: Refusal) => isRetryableStatus(status)],
] as const;

const FORM_STATUSES: ReadonlySet<number> = new Set([400, 404, 422]);
/** How endpoints refuse the form of a request, and what to do. */
const REFUSED_FORMS = [
  {
    // The template of the model has no system message.
    refused:
      /system (?:role|message|prompt|instruction)s?\b.{0,40}\b(?:not|un)\s?-?(?:supported|allowed|enabled|available)|developer instructions? (?:is|are) not enabled|not support (?:the |a |any )?\W{0,2}system\b/is,
    remedy:
      "This model takes no system message: remove 'system_prompt' from the columns that use it, and put its text into 'prompt'.",
  },
  {
    // Bedrock and its proxies want the tools of all calls in the messages; the APIs of OpenAI and Anthropic do not.
    refused: /must define tools|toolconfig field must be defined|(?:without|expects the) `?tools=/i,
    remedy:
      "This endpoint takes messages with tool calls only together with tools: give the column the 'tool_alias' of its history, or a larger 'max_tool_call_turns' if it has one.",
  },
] as const;

const NOT_MULTIMODAL = 'is not a multimodal model';
const REMEDY = 'Use a model that accepts images, or remove multi_modal_context.';

/**
 * The failure that an outcome without success means, with the provider's words, the cause and what to do. A 403 or 404
 * of a model that answers others is about the request; a redirect is not followed, as it may lead to somebody else.
 */
export function failureOfOutcome(
  outcome: CallOutcome,
  { model, timeoutMs, form: answers }: RequestFacts,
): DataDesignerError {
  const { status, body, headers, verdict, tries, sent } = outcome;
  const { askedUntil } = tries ?? {};
  const asked = askedUntil === undefined ? {} : { askedUntil };
  const sentOften = tries ? { tries, ...asked } : {};
  const carried = sent === undefined ? {} : { sent };
  if (verdict === 'unusable') {
    return new DataDesignerError('model/broken-answer', { model, ...unusableAnswer(body), ...carried, ...sentOften });
  }
  if (verdict === 'no-choice') {
    const attempts = tries?.requests ?? 1;
    return new DataDesignerError('model/no-choice', { model, reason: noChoiceReason(body, answers), attempts });
  }
  const refusal = { outcome, status, body: body.toLowerCase() };
  const form = FORM_STATUSES.has(status) ? REFUSED_FORMS.find(({ refused }) => refused.test(body)) : undefined;
  if (form) {
    const data = { model, status, reason: providerText(body), remedy: form.remedy };
    return new DataDesignerError('model/rejected', data);
  }
  const code = KINDS.find(([, fits]) => fits(refusal))?.[0] ?? 'model/rejected';
  const redirect = isRedirect(status) ? redirection(headers.location) : undefined;
  const reason = redirect?.reason ?? providerText(body);
  if (code === 'model/timed-out') return new DataDesignerError(code, { model, timeoutMs, ...sentOften });
  if (code === 'model/rate-limited') {
    return new DataDesignerError(code, {
      model,
      reason,
      ...asked,
      ...(verdict === 'about-all' ? { forAll: true } : {}),
    });
  }
  if (code === 'model/rejected' && refusal.body.includes(NOT_MULTIMODAL)) {
    return new DataDesignerError(code, { model, status, reason, remedy: REMEDY });
  }
  const more = code === 'model/server-error' ? sentOften : {};
  return new DataDesignerError(code, { model, status, reason, ...redirect, ...more, ...carried });
}

/** The error that an answer carries in place of a choice, or what it lacks. The gateway may have cut its body. */
function noChoiceReason(body: string, form: AnswerForm | undefined): string {
  const { error, reason = 'it contains no choices' } = form?.problemIn(fieldsOf(tryParse(body, JSON.parse))) ?? {};
  return reasonOf(error, reason);
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** Where a redirect points, without what may be secret in an address, and what to do. */
function redirection(location = ''): { readonly reason: string; readonly remedy?: string } {
  const address = location.replace(/[?#].*$/s, '').replace(/\/\/[^/@]*@/, '//');
  if (address === '') return { reason: 'it redirects without naming an address' };
  const target = providerText(address);
  const endpoint = target.replace(CALL_PATH, '');
  return { reason: `it redirects to ${target}`, remedy: `Set the 'endpoint' of the provider to ${endpoint}.` };
}

/** The end of the address of a call, which an endpoint does not have. */
const CALL_PATH = /\/(?:chat\/completions|embeddings|images\/generations|responses|messages)\/?$/;
