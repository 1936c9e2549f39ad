import {
  type Cell,
  DataDesignerError,
  isForAll,
  isList,
  LONGEST_SECONDS,
  parseJson,
  Shortfall,
  stringifyJson,
  type WrittenRow,
} from '@data-designer/core';
import { isMembers } from '../cell-members.ts';
import type { RemoteParams } from './validator-params.ts';

/** The fields of a validation by a server. */
export interface RemoteValidation {
  readonly targetColumns: readonly string[];
  readonly batchSize: number;
  readonly params: RemoteParams;
}

/** The longest wait before a retry, in seconds. */
const LONGEST_WAIT = 60;

/** The cell of a row without a verdict. */
const UNJUDGED = { is_valid: null };

/**
 * Sends rows to a server in batches. A batch covers a fixed range of the run's rows, so a lost row leaves the other
 * batches unchanged. Rows of a batch without a usable answer stay, unjudged, and are reported as failed.
 */
export function validateRemotely(
  validation: RemoteValidation,
): (rows: readonly Cell[]) => Promise<readonly WrittenRow[]> {
  const { batchSize, params } = validation;
  const timeoutMs = wholeSeconds(params) * 1000;
  return async (rows) => {
    const batches = Map.groupBy(rows, ({ rowIndex }) => Math.floor(rowIndex / batchSize));
    const made = await Promise.all(
      [...batches].map(([batch, cells]) => judge(cells, validation.targetColumns, { batch, timeoutMs })),
    );
    // Rows are in order, so batches are too.
    return made.flat();
  };
}

async function judge(
  cells: readonly Cell[],
  targets: readonly string[],
  question: { readonly batch: number; readonly timeoutMs: number },
): Promise<readonly WrittenRow[]> {
  const data = cells.map(({ row }) => Object.fromEntries(targets.map((name) => [name, row[name] ?? null])));
  try {
    const [first] = cells;
    const answer = await first?.validate({ ...question, body: stringifyJson({ data }) });
    if (answer === undefined) return cells.map(() => [UNJUDGED]);
    const parsed = parseJson(answer);
    const verdicts = isMembers(parsed) ? parsed['data'] : undefined;
    return verdicts !== undefined && isList(verdicts) ? verdicts.map((verdict) => [verdict]) : [];
  } catch (thrown) {
    const failure = DataDesignerError.fromUnknown(thrown);
    if (!failure.code.startsWith('validator/') || isForAll(failure)) throw failure;
    return cells.map(() => new Shortfall(failure, [UNJUDGED]));
  }
}

/** The time of all tries and the waits between them. */
function wholeSeconds({ timeout, maxRetries, retryBackoff }: RemoteParams): number {
  let seconds = timeout;
  for (let retry = 0; retry < maxRetries && seconds < LONGEST_SECONDS; retry++) {
    seconds += timeout + Math.min(retryBackoff ** retry, LONGEST_WAIT);
  }
  return seconds;
}
