import {
  type Address,
  type Call,
  type CallOutcome,
  DataDesignerError,
  type PaidTokens,
  type Resource,
  type Tries,
  fieldsOf,
  tryParse,
} from '@data-designer/core';
import { readToolRequest } from '@data-designer/mcp';
import { failureOfOutcome, protocolOfPath } from '@data-designer/models/protocols';
import { reportedTokens } from './admission/answer-cost.ts';
import { NO_REQUEST, ONE_REQUEST } from './http/paid-tries.ts';
import { type ModelOperation, modelTargetOf } from './admission/model-state.ts';

/** A call to a model or a tool that was sent in this run: plain data without prompts, answers, arguments and results. */
export type CallRecord = ModelCallRecord | ToolCallRecord;

/** The fields of every record. */
interface SentCall extends Address {
  /** The row group; -1 before the first one, for probes of endpoints. */
  readonly group: number;
  /** The name of the provider. */
  readonly provider: string;
  /** When the call was sent, in milliseconds since 1970, and how long it took with its retries. */
  readonly startedAtMs: number;
  readonly elapsedMs: number;
  /** The HTTP status of the last response; null without one. Of tools 200, or 502 or 504 for a failure or a timeout. */
  readonly status: number | null;
  /** The failure code; null for a success. */
  readonly error: string | null;
}

/** A call to a model, with its retries. */
export interface ModelCallRecord extends SentCall {
  readonly kind: 'model';
  /** The kind of request. */
  readonly operation: ModelOperation;
  /** The model alias, and the purpose of the request in its conversation. */
  readonly alias: string;
  readonly purpose: string;
  /** The name of the model in the request, and in the answer if it has one. */
  readonly model: string;
  readonly answeredBy: string | null;
  /** Host and port of the endpoint. */
  readonly server: string;
  /** The HTTP requests of the call; null if it was given up, as then their number is unknown. */
  readonly requests: number | null;
  /** Of these, the number that was refused with status 429. */
  readonly refused: number;
  /** Tokens of the answer and of earlier, unusable ones; null if none were reported. */
  readonly tokens: (PaidTokens & { readonly reasoning: number | null }) | null;
}

/** A call of a tool. */
export interface ToolCallRecord extends SentCall {
  readonly kind: 'tool';
  /** The provider's name of the tool. */
  readonly tool: string;
}

/** A call that has ended, before it is recorded. */
export interface EndedCall {
  readonly call: Call;
  readonly group: number;
  readonly resource: Resource;
  /** Host and port of the model endpoint. */
  readonly server: string;
  readonly startedAtMs: number;
  readonly elapsedMs: number;
  /** The outcome, or the failure that was thrown. */
  readonly end: CallOutcome | DataDesignerError;
}

/** The record of a call; undefined for calls to other servers, and if no request was sent. */
export function recordOf(ended: EndedCall): CallRecord | undefined {
  const { kind } = ended.resource;
  if (kind === 'tools') return toolRecordOf(ended);
  return kind === 'model' ? modelRecordOf(ended) : undefined;
}

function sentCallOf({ call, group, resource, startedAtMs, elapsedMs }: EndedCall) {
  const { row, column, call: number } = call;
  return { group, row, column, call: number, provider: resource.provider, startedAtMs, elapsedMs };
}

function toolRecordOf(ended: EndedCall): ToolCallRecord {
  const { end, call } = ended;
  const result = { status: statusOf(end), error: end instanceof DataDesignerError ? end.code : toolErrorOf(end) };
  return { kind: 'tool', ...sentCallOf(ended), tool: readToolRequest(call.body).name, ...result };
}

/** Why a tool call failed: it took too long, it failed, or its result says so. */
function toolErrorOf({ status, body }: CallOutcome): string | null {
  if (status === 504) return 'tool/timed-out';
  const saysError = (): boolean => fieldsOf(tryParse(body, JSON.parse)).isError === true;
  return status !== 200 || (body.includes('"isError"') && saysError()) ? 'tool/failed' : null;
}

function modelRecordOf(ended: EndedCall): ModelCallRecord | undefined {
  const { end, call, resource, server } = ended;
  const tries = triesOf(end);
  if (tries?.requests === 0) return undefined;
  const { alias, purpose } = call.origin ?? { alias: call.column, purpose: 'probe' };
  const { operation, model } = modelTargetOf(resource.id);
  const isAnswer = !(end instanceof DataDesignerError) && isUsable(end);
  return {
    kind: 'model',
    ...sentCallOf(ended),
    operation,
    alias,
    purpose,
    model,
    answeredBy: isAnswer ? modelIn(end.body) : null,
    server,
    requests: tries?.requests ?? null,
    refused: tries?.refused ?? 0,
    tokens: tokensOf(tries, isAnswer ? end.body : undefined),
    status: statusOf(end),
    error: errorOf(end, { model, call }),
  };
}

function statusOf(end: EndedCall['end']): number | null {
  return end instanceof DataDesignerError ? null : end.status;
}

/** The code of the failure that the cell gets; null for an answer. */
function errorOf(end: EndedCall['end'], { model, call }: { model: string; call: Call }): string | null {
  if (end instanceof DataDesignerError) return end.code;
  if (isUsable(end)) return null;
  const form = protocolOfPath(call.path)?.paths[call.path];
  return failureOfOutcome(end, { model, timeoutMs: call.timeoutMs, form }).code;
}

function isUsable({ status, verdict }: CallOutcome): boolean {
  return status >= 200 && status < 300 && verdict !== 'unusable' && verdict !== 'no-choice';
}

/** The requests behind the end of a call; undefined if it was given up. */
function triesOf(end: EndedCall['end']): Tries | undefined {
  if (!(end instanceof DataDesignerError)) return end.tries ?? { ...ONE_REQUEST, refused: end.status === 429 ? 1 : 0 };
  const { tries }: { readonly tries?: Tries } = Object(end.data);
  if (tries) return tries;
  if (end.code === 'run/aborted') return undefined;
  return end.code.startsWith('model/') ? ONE_REQUEST : NO_REQUEST;
}

function tokensOf(tries: Tries | undefined, body: string | undefined): ModelCallRecord['tokens'] {
  const told = body === undefined ? undefined : reportedTokens(body);
  const spent = tries?.spent;
  const isTold = told !== undefined && (told.input !== null || told.output !== null);
  if (!isTold && !spent) return null;
  return {
    input: (told?.input ?? 0) + (spent?.input ?? 0),
    cachedInput: (told?.cachedInput ?? 0) + (spent?.cachedInput ?? 0),
    output: (told?.output ?? 0) + (spent?.output ?? 0),
    reasoning: told?.reasoning ?? null,
  };
}

/** Longer names are no names. */
const LONGEST_NAME = 256;

/** The name of the model in an answer: within its texts the quotes of the key would be escaped. */
function modelIn(body: string): string | null {
  const key = body.indexOf('"model"');
  if (key < 0) return null;
  const [, name] = /^"model"\s*:\s*"([^"\\]+)"/.exec(body.slice(key, key + LONGEST_NAME)) ?? [];
  return name ?? null;
}
