import type { Dispatcher } from 'undici';
import { type CallOutcome, DataDesignerError, fieldsOf, refusalText, tryParse } from '@data-designer/core';
import type { AnswerMemory } from '../admission/answer-memory.ts';
import { TimedOut } from './attempt-judge.ts';
import { collectAnswer, TooLong, transportReason } from './collect-answer.ts';
import { headersOf, type ModelAccess, pathOf } from './model-access.ts';

/** A provider that lists its models does so at once. */
const TIMEOUT_MS = 10_000;

/** The connections of one provider. */
interface Connected {
  readonly use: <Result>(work: (connection: Dispatcher) => Promise<Result>) => Promise<Result>;
  readonly memory: AnswerMemory;
  /** The name of the provider. */
  readonly provider: string;
}

/** The names of the models that a provider lists, in one attempt; throws `model/not-listed`. */
export async function listModels(
  access: ModelAccess,
  { use, memory, provider }: Connected,
): Promise<readonly string[]> {
  const fail = (reason: string, remedy: string, cause?: unknown): never => {
    throw new DataDesignerError('model/not-listed', { provider, reason, remedy }, { cause });
  };
  const path = withQuery(pathOf(access, 'models'), access.protocol.listQuery);
  const get = { method: 'GET', path, headers: headersOf(access) } as const;
  const collecting = { memory, timeoutMs: TIMEOUT_MS, signal: new AbortController().signal, onSent: () => {} };
  const outcome = await use((connection) =>
    collectAnswer((collector) => void connection.dispatch(get, collector), collecting),
  ).catch((cause: unknown) =>
    fail(reasonOf(cause), 'Check that it is running and that its endpoint is correct.', cause),
  );
  if (outcome.status >= 200 && outcome.status < 300) {
    return namesIn(outcome) ?? fail(`the answer of ${path} is not a list of models`, ENDPOINT_REMEDY);
  }
  return fail(refusalOf(outcome, path), remedyOf(outcome, access));
}

const ENDPOINT_REMEDY = 'Check that its endpoint is the base address of the API, which often ends in /v1.';

/** Adds a query to a path that may have one. */
function withQuery(path: string, query: string): string {
  return query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

function reasonOf(cause: unknown): string {
  if (cause instanceof TimedOut) return `it did not answer within ${TIMEOUT_MS / 1000} s`;
  return cause instanceof TooLong ? cause.message : transportReason(cause);
}

const LONGEST_REASON = 300;

function refusalOf({ status, body }: CallOutcome, path: string): string {
  const text = refusalText(body).split('\n')[0]?.trim().slice(0, LONGEST_REASON).replace(/\.+$/, '') ?? '';
  const isPage = text.startsWith('<');
  return `it responded to ${path} with status ${status}${text === '' || isPage ? '' : `: ${text}`}`;
}

function remedyOf({ status }: CallOutcome, { keyShown = 'no key' }: ModelAccess): string {
  if (status === 401 || status === 403) return `The request carried ${keyShown}. Check the key.`;
  return status >= 500 || status === 429 ? 'Try again later.' : ENDPOINT_REMEDY;
}

/** The names in a list: `{ data: [{ id }] }`, or the list alone; undefined for any other answer. */
function namesIn({ body }: CallOutcome): readonly string[] | undefined {
  const answer = tryParse(body, JSON.parse);
  const list = Array.isArray(answer) ? answer : fieldsOf(answer).data;
  if (!Array.isArray(list)) return undefined;
  const names = list.map((entry) => fieldsOf(entry).id).filter((id) => typeof id === 'string');
  return [...new Set(names)].toSorted();
}
