import {
  afterEnd,
  closeSentence,
  type Failure,
  type ForAll,
  permanent,
  printAsked,
  printForAll,
  transient,
} from './failure.ts';

/** Bytes per megabyte of `max_answer_mb`. */
export const MEGABYTE = 1_000_000;

/** The remedy for invalid answers, by the reason they were truncated. */
const TRUNCATION_REMEDIES = {
  'max-tokens': "An answer reached its token limit: raise the model's 'max_tokens'.",
  'context-window': 'An answer filled the context of the model: shorten the prompt.',
  none: 'Simplify the requested output, allow more corrections, or use a stronger model.',
} as const;

/** Data of a refusal by an endpoint that has not yet answered any request. */
export interface SentCredentials {
  /** The model name and the key that the request carried, as text. */
  readonly sent?: string | undefined;
}

function printSent({ sent }: SentCredentials): string {
  return sent === undefined ? '' : ` The request carried ${sent}.`;
}

/** A correction without what it asks of the model. */
function toUser(correction: string): string {
  return correction
    .replace(/^Response doesn't match requested <response_schema>\n/, '')
    .replace(/(?<=[.?!]) [^.?!]*answer again.*$/is, '');
}

/** Errors of models. */
export const modelErrors = {
  'model/rate-limited': transient(
    (d: { model: string; reason?: string } & ForAll) =>
      `The endpoint of model '${d.model}' keeps returning "too many requests" (429)${d.reason ? `: ${d.reason}` : ''}.${printAsked(d)} ${d.forAll ? `No request has succeeded within the time limit of a call. Finished answers are saved. Resume ${d.askedUntil === undefined ? 'later' : 'after that time'}, lower` : "Raise 'total_timeout' in its inference parameters, lower"} 'max_parallel_requests', or ask the provider for a higher limit.`,
  ),
  'model/asked-to-wait': transient(
    (
      d: {
        model: string;
        status: number;
        /** Host and port of the endpoint. */
        server: string;
        /** How long the endpoint asks to wait. */
        waitSeconds: number;
        /** The time to come back, as an ISO date with time. */
        until: string;
        reason: string;
      } & ForAll,
    ) =>
      `The endpoint of model '${d.model}' (${d.server}) asks to wait ${d.waitSeconds} seconds, until ${d.until}, which is longer than a call may wait (status ${d.status}${d.reason ? `: ${d.reason.replace(/\.+$/, '')}` : ''}). ${afterEnd(d, { saved: 'No row is lost, and finished answers are saved. Resume', preview: 'Preview again' })} after that time, or raise 'total_timeout' in its inference parameters.`,
  ),
  'model/timed-out': transient(
    (
      d: {
        model: string;
        timeoutMs: number;
        /** The time limit of the whole call, if that ended before the time limit of its last attempt. */
        deadlineMs?: number;
      } & ForAll,
    ) =>
      `Model '${d.model}' did not answer within ${d.deadlineMs === undefined ? `${d.timeoutMs} ms` : `the call's limit of ${d.deadlineMs} ms`}. Raise '${d.deadlineMs === undefined ? 'timeout' : 'total_timeout'}' in its inference parameters.${printForAll(d)}`,
  ),
  'model/unreachable': transient(
    (
      d: {
        model: string;
        reason: string;
        /** The status of an answer that broke off. */
        status?: number;
        /** The address says https, and the server speaks http. */
        speaksHttp?: boolean;
      } & ForAll,
    ) => {
      const endpoint = `The endpoint of model '${d.model}'`;
      if (d.status !== undefined) {
        return `${endpoint} broke off its answer after the status ${d.status}: ${d.reason}. Look at the log of the server, and for a proxy that ends connections.${printForAll(d)}`;
      }
      const remedy = d.speaksHttp
        ? "Write http:// in place of https:// in the 'endpoint' of the provider."
        : 'Check that it is running and that the address is correct.';
      return `${endpoint} ${d.forAll && !d.speaksHttp ? 'has never responded' : 'cannot be reached'}: ${d.reason}. ${remedy}${d.forAll ? afterEnd(d, { saved: ' Resume once it responds.', preview: ' Preview again once it responds.' }) : ''}`;
    },
  ),
  'model/server-error': transient(
    (d: { model: string; status: number; reason: string } & SentCredentials & ForAll) =>
      `The endpoint of model '${d.model}' failed with status ${d.status}: ${d.reason}.${printAsked(d)}${printSent(d)}${printForAll(d)}`,
  ),
  'model/unauthorized': permanent(
    (d: { model: string; status: number; reason: string } & SentCredentials) =>
      `The endpoint of model '${d.model}' denied access (status ${d.status}): ${d.reason}.${printSent(d)} Check the key and the account.`,
  ),
  'model/permission-denied': permanent(
    (d: { model: string; status: number; reason: string } & SentCredentials) =>
      `The key has no permission to use model '${d.model}' (status ${d.status}): ${d.reason}.${printSent(d)} Ask the provider for access, or use another model.`,
  ),
  'model/quota-exceeded': permanent(
    (d: { model: string; status: number; reason: string }) =>
      `The account for model '${d.model}' has no credit left (status ${d.status}): ${d.reason}. Add credit, or use another provider.`,
  ),
  'model/not-found': permanent(
    (d: { model: string; status: number; reason: string; remedy?: string } & SentCredentials) =>
      `The endpoint of model '${d.model}' refused the request with status ${d.status}: ${d.reason}.${printSent(d)} ${d.remedy ?? 'Check the model name and the endpoint address.'}`,
  ),
  'model/context-exceeded': permanent(
    (d: { model: string; status: number; reason: string }) =>
      `The request exceeds the context of model '${d.model}' (status ${d.status}): ${d.reason}. Shorten the prompt or the tool results, or use a model with a longer context.`,
  ),
  'model/unprocessable': permanent(
    (d: { model: string; status: number; reason: string }) =>
      `The endpoint of model '${d.model}' cannot process the request (status ${d.status}): ${d.reason}. Check the inference parameters, extra_body and the media in the prompt.`,
  ),
  'model/unsupported-parameter': permanent(
    (d: { model: string; status: number; reason: string }) =>
      `Model '${d.model}' does not support one of the parameters (status ${d.status}): ${d.reason}. Remove it from the inference parameters or extra_body.`,
  ),
  'model/rejected': permanent(
    (d: { model: string; status: number; reason: string; remedy?: string } & SentCredentials) =>
      `The endpoint of model '${d.model}' refused the request with status ${d.status}: ${d.reason}.${d.remedy ? ` ${d.remedy}` : ''}${printSent(d)}`,
  ),
  'model/unsupported-capability': permanent(
    (d: { model: string; capability: string; protocol: string }) =>
      `Model '${d.model}' cannot ${d.capability}: the protocol of its provider (${d.protocol}) does not support it. Use a model of another provider.`,
  ),
  'model/text-only': permanent(
    (d: { model: string; reason: string }) =>
      `Model '${d.model}' reads no images: ${closeSentence(d.reason)} Use a model that reads images, or remove the images from multi_modal_context of the column.`,
  ),
  'model/no-picture': permanent(
    (d: { model: string; reason: string }) =>
      `Model '${d.model}' returned no image: ${d.reason}. Check that the model generates images.`,
  ),
  'model/picture-not-yet': transient(
    (
      d: {
        /** Host and port of the server that has the picture. */
        server: string;
        status: number;
        /** How long the server asks to wait. */
        waitSeconds: number;
        /** The time to come back, as an ISO date with time. */
        until: string;
      } & ForAll,
    ) =>
      `The server ${d.server}, which has a picture that a model made, asks to wait ${d.waitSeconds} seconds, until ${d.until} (status ${d.status}). No row is lost, and finished answers are saved. Resume after that time.`,
  ),
  'model/unusable-provider': permanent(
    (d: { provider: string; reason: string; remedy: string }) =>
      `Model provider '${d.provider}' cannot be used: ${d.reason}. ${d.remedy}`,
  ),
  'model/not-listed': permanent(
    (d: { provider: string; reason: string; remedy: string }) =>
      `Cannot list the models of provider '${d.provider}': ${d.reason}. ${d.remedy}`,
  ),
  'model/not-ready': permanent(
    (d: { alias: string; reason: string }) => `The model '${d.alias}' failed its test. ${d.reason}`,
  ),
  'model/broken-answer': transient(
    (d: { model: string; reason: string; remedy?: string } & SentCredentials & ForAll) =>
      `Model '${d.model}' returned an answer that cannot be read: ${d.reason}.${printSent(d)}${d.remedy ? ` ${d.remedy}` : ''}${printForAll(d)}`,
  ),
  'model/bad-answer': permanent(
    (d: { model: string; reason: string } & ForAll) =>
      `Model '${d.model}' returned an unusable answer: ${d.reason}.${printForAll(d)}`,
  ),
  'model/no-choice': permanent(
    (d: { model: string; reason: string; attempts: number } & ForAll) =>
      `Model '${d.model}' returned no usable choice in ${d.attempts} ${d.attempts === 1 ? 'answer' : 'answers'} with status 200: ${d.reason}. Check the endpoint; it may charge for these answers.${printForAll(d)}`,
  ),
  'model/answer-too-long': permanent(
    (d: { model: string; maxBytes: number }) =>
      `Model '${d.model}' returned an answer longer than ${d.maxBytes / MEGABYTE} MB. If that is intended, raise 'max_answer_mb' in its inference parameters.`,
  ),
  'model/gave-up': permanent(
    (d: {
      model: string;
      reason: string;
      corrections: number;
      restarts: number;
      /** Why answers of the last conversation were truncated, if any were. */
      truncation?: 'max-tokens' | 'context-window' | null;
    }) =>
      `Model '${d.model}' returned no valid answer after ${d.corrections} ${d.corrections === 1 ? 'correction' : 'corrections'} and ${d.restarts} ${d.restarts === 1 ? 'restart' : 'restarts'}: ${closeSentence(toUser(d.reason))} ${TRUNCATION_REMEDIES[d.truncation ?? 'none']}`,
  ),
  'model/no-final-answer': permanent(
    (d: { model: string; turns: number }) =>
      `Model '${d.model}' still called tools after its ${d.turns} turns. Raise 'max_tool_call_turns' or change the prompt.`,
  ),
} as const satisfies Record<string, Failure<never>>;
