import { setTimeout as sleep } from 'node:timers/promises';
import { fieldsOf } from '@data-designer/core';
import type { JsonObject, ToolCallOptions, ToolCallResult } from './tool-session.ts';

const SHORTEST_POLL_MS = 50;
const LONGEST_POLL_MS = 5_000;
const DEFAULT_POLL_MS = 1_000;

/** A call that a server runs as a task, and the way to ask the server. */
export interface TaskCall {
  readonly params: JsonObject;
  readonly options: ToolCallOptions;
  readonly ask: (method: string, params: JsonObject, options: ToolCallOptions) => Promise<ToolCallResult>;
}

/** Whether a server runs tool calls as tasks. */
export function runsTasks(capabilities: JsonObject): boolean {
  const { requests } = fieldsOf(capabilities.tasks);
  return fieldsOf(fieldsOf(requests).tools).call !== undefined;
}

/** Starts a task, waits for its end and gets its result; cancels it at the time limit or when the signal is aborted. */
export async function callAsTask({ params, options, ask }: TaskCall): Promise<ToolCallResult> {
  const { timeoutMs, signal } = options;
  const deadline = performance.now() + timeoutMs;
  const left = (): ToolCallOptions => ({ timeoutMs: Math.max(1, deadline - performance.now()), signal });
  const begun = await ask('tools/call', { ...params, task: { ttl: Math.ceil(timeoutMs) } }, options);
  const first = begun.kind === 'answered' ? fieldsOf(fieldsOf(begun.result).task) : {};
  const { taskId } = first;
  // A server may answer at once.
  if (begun.kind !== 'answered' || typeof taskId !== 'string') return begun;
  let isOver = false;
  try {
    const ended = await endOfTask(first, () => ask('tasks/get', { taskId }, left()), left);
    isOver = ended.kind === 'answered' && fieldsOf(ended.result).status !== 'input_required';
    if (ended.kind === 'timed-out')
      return { kind: 'timed-out', reason: `no answer within ${Math.round(timeoutMs)} ms` };
    return isOver ? resultOf(ended, await ask('tasks/result', { taskId }, left())) : withReason(ended);
  } finally {
    if (!isOver) ask('tasks/cancel', { taskId }, { timeoutMs: DEFAULT_POLL_MS }).catch(() => undefined);
  }
}

/** Asks for the state of a task until it waits for nothing more. */
async function endOfTask(
  first: JsonObject,
  get: () => Promise<ToolCallResult>,
  left: () => ToolCallOptions,
): Promise<ToolCallResult> {
  let state: ToolCallResult = { kind: 'answered', result: first };
  while (state.kind === 'answered') {
    const { status, pollInterval } = fieldsOf(state.result);
    if (status !== 'working' && status !== 'submitted') return state;
    const { timeoutMs, signal } = left();
    if (timeoutMs <= 1) return { kind: 'timed-out', reason: '' };
    const wanted = typeof pollInterval === 'number' ? pollInterval : DEFAULT_POLL_MS;
    const waitMs = Math.min(Math.max(wanted, SHORTEST_POLL_MS), LONGEST_POLL_MS, timeoutMs);
    // An abort ends the wait, and the next request rejects with its reason.
    await sleep(waitMs, undefined, signal && { signal }).catch(() => undefined);
    state = await get();
  }
  return state;
}

/** The result of a task, or what its state says where there is none. */
function resultOf(ended: ToolCallResult, result: ToolCallResult): ToolCallResult {
  if (result.kind !== 'failed' || ended.kind !== 'answered') return result;
  const { status, statusMessage } = fieldsOf(ended.result);
  const isSaid = status !== 'completed' && typeof statusMessage === 'string';
  return isSaid ? { kind: 'failed', reason: statusMessage } : result;
}

function withReason(ended: ToolCallResult): ToolCallResult {
  return ended.kind === 'answered'
    ? { kind: 'failed', reason: 'its task asks for input, which nobody can give' }
    : ended;
}
