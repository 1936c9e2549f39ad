import {
  type Address,
  type CallOutcome,
  type ChatMessage,
  DataDesignerError,
  type Gateway,
  type PlannedTools,
  TOOL_DEFAULTS,
  type ToolCall,
  type ToolFailureKind,
  type ToolTurnContext,
} from '@data-designer/core';
import { calledTool } from './called-tool.ts';
import { finishCall, type FinishedCall } from './finish-call.ts';
import { failedOutcome, prepareCall, type PreparedCall, type ToolOutcome } from './prepare-call.ts';
import type { OfferedTool, ToolCatalog } from './tool-catalog.ts';
import { countCall, type ToolCounts } from './tool-counts.ts';
import { elapsedMsOf, failureKindOf } from './tool-outcome.ts';

/** Counts calls of tools that do not exist: models invent any number of names. */
const UNKNOWN = { name: '(unknown)' };

/** The failures that a model has caused, and can correct. */
const BY_MODEL: ReadonlySet<ToolFailureKind> = new Set(['arguments', 'unknown-tool']);

/** The tools that a response may call, and how they are called. */
export interface CallableTools {
  readonly config: PlannedTools;
  readonly gateway: Gateway;
  readonly catalog: ToolCatalog;
  /** Counts of the calls so far, by provider and the provider's name of the tool. */
  readonly counts: Record<string, ToolCounts>;
}

/** Runs the calls of a response side by side; a tool message for each, in the model's order. */
export function answerCalls(
  { tool_calls: calls = [] }: ChatMessage,
  tools: CallableTools,
  context: ToolTurnContext,
): Promise<readonly ChatMessage[]> {
  // All calls are prepared before one is sent: a pattern that does not finish fails the cell.
  const prepared = calls.map((call) => ({ call, prepared: prepareCall(call, tools.catalog) }));
  return Promise.all(prepared.map((one) => answerCall(one, tools, context)));
}

/** Takes the call's number before anything is awaited, so that numbers follow the model's order. */
async function answerCall(
  { call, prepared }: { readonly call: ToolCall; readonly prepared: PreparedCall | ToolOutcome },
  tools: CallableTools,
  { row, column, nextCall, onToolCall, values, takesFailures = false }: ToolTurnContext,
): Promise<ChatMessage> {
  const { catalog, config, gateway } = tools;
  const { name } = calledTool(call.function.name, catalog);
  const tool = catalog.tools.get(name) ?? catalog.hidden.get(name);
  const { timeoutMs, deadlineMs } = config;
  const slot = { row, column, values, timeoutMs, ...(deadlineMs !== undefined && { deadlineMs }) };
  const outcome =
    prepared.kind === 'ready' ? await executeCall(gateway, prepared, { ...slot, call: nextCall('tool') }) : prepared;
  const { message, failure, isCut, isPart } = finish({ call, outcome, tool }, tools);
  const called = tool ? `${tool.provider}/${tool.name}` : null;
  onToolCall?.({ tool: called, failed: failure !== undefined, isCut, isPart });
  const { onToolFailure = 'continue' } = config;
  if (failure && onToolFailure !== 'continue' && !takesFailures && !BY_MODEL.has(failure.kind)) {
    const reason = `the tool '${called ?? name}' failed: ${failure.reason}`;
    throw new DataDesignerError('tool/call-failed', {
      column,
      reason,
      ...(onToolFailure === 'abort' && { endsRun: true }),
    });
  }
  return message;
}

/** A call that has ended. */
interface EndedCall {
  readonly call: ToolCall;
  readonly outcome: ToolOutcome;
  readonly tool: OfferedTool | undefined;
}

function finish({ call, outcome, tool }: EndedCall, { config, counts }: CallableTools): FinishedCall {
  const finished = finishCall(call, outcome, {
    maxChars: config.maxResultChars ?? TOOL_DEFAULTS.maxResultChars,
    structured: config.structured,
  });
  const bytes = outcome.kind === 'answered' ? Buffer.byteLength(outcome.body) : 0;
  const { failure } = finished;
  countCall(counts, tool ?? UNKNOWN, { ...(failure && { failure }), bytes, elapsedMs: outcome.elapsedMs });
  return finished;
}

/** The address of one call with its number, and its time limits. */
interface CallSlot extends Address, Pick<ToolTurnContext, 'values'> {
  readonly timeoutMs: number;
  readonly deadlineMs?: number;
}

/** Step 2 of a tool call: calls the tool through the gateway. A fault of the tool is an outcome; only a lost gateway or an abort is thrown. */
async function executeCall(gateway: Gateway, prepared: PreparedCall, slot: CallSlot): Promise<ToolOutcome> {
  const { resource, body } = prepared;
  try {
    return outcomeOf(await gateway.call({ resource, path: 'tools/call', body, ...slot }));
  } catch (thrown) {
    const { code } = DataDesignerError.fromUnknown(thrown);
    if (thrown instanceof DataDesignerError && code.startsWith('tool/') && code !== 'tool/never-answered')
      return failedOutcome(thrown.message, 'connection');
    throw thrown;
  }
}

function outcomeOf(outcome: CallOutcome): ToolOutcome {
  const { status, body } = outcome;
  const elapsedMs = elapsedMsOf(outcome);
  if (status === 200) return { kind: 'answered', body, elapsedMs };
  const reason = body || `the tool provider answered ${status}`;
  return { ...failedOutcome(reason, failureKindOf(outcome)), elapsedMs };
}
