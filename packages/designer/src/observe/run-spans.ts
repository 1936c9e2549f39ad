import type { Attributes, Context, Span } from '@opentelemetry/api';
import type { CallRecord, ModelCallRecord, ToolCallRecord } from '@data-designer/gateway';
import type { RunOutcome, RunTelemetry, TelemetryParts } from './telemetry.ts';

/** The spans of a run. */
interface RunSpans extends RunTelemetry {
  /** The context in which the span of the run is the current one. */
  readonly context: Context;
}

/** An open span, and the context for its children. */
interface OpenSpan {
  readonly span: Span;
  readonly context: Context;
}

/** One span for the run, below it one for each row group, below that one for each call to a model or a tool. */
export function openRunSpans({ api, operation, source }: TelemetryParts): RunSpans {
  const { trace, context, SpanKind, SpanStatusCode } = api;
  const tracer = trace.getTracer(...source);
  const begin = (name: string, parent: Context, attributes: Attributes): OpenSpan => {
    const span = tracer.startSpan(name, { attributes }, parent);
    return { span, context: trace.setSpan(parent, span) };
  };
  const fail = (span: Span, error: string): void => {
    span.setAttribute('error.type', error);
    span.setStatus({ code: SpanStatusCode.ERROR, message: error });
  };
  const run = begin(`data_designer.${operation}`, context.active(), {});
  const groups = new Map<number, OpenSpan>();
  const addCall = (call: CallRecord): void => {
    const { startedAtMs: startTime, elapsedMs, group, error } = call;
    const { name, attributes } = call.kind === 'model' ? modelSpanOf(call) : toolSpanOf(call);
    const kind = call.kind === 'model' ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const parent = (groups.get(group) ?? run).context;
    const span = tracer.startSpan(name, { kind, startTime, attributes: { ...cellOf(call), ...attributes } }, parent);
    if (error !== null) fail(span, error);
    span.end(startTime + elapsedMs);
  };
  return {
    context: run.context,
    observer: {
      onCalls: (calls) => calls.forEach(addCall),
      onGroupStart: (group) => {
        // A group whose thread was lost goes on in its span.
        if (groups.has(group)) return;
        groups.set(group, begin('data_designer.row_group', run.context, { 'data_designer.row_group': group }));
      },
      onGroupEnd: ({ group, rows, lost, unfinished }) => {
        const span = groups.get(group)?.span;
        if (!span) return;
        span.setAttribute('data_designer.rows', rows);
        span.setAttribute(
          'data_designer.rows.lost',
          lost.reduce((sum, one) => sum + one.rows, 0),
        );
        span.setAttribute('data_designer.rows.unfinished', unfinished);
        span.end();
        groups.delete(group);
      },
    },
    onEvent: (event) => {
      if (event.type === 'run-start') {
        run.span.setAttributes({ 'data_designer.rows.requested': event.rows, 'data_designer.seed': event.seed });
      } else if (event.type === 'run-end') run.span.setAttribute('data_designer.rows', event.rows);
      else if (event.type === 'worker-fail') groups.get(event.group)?.span.addEvent('data_designer.worker_lost');
    },
    end: ({ error }: RunOutcome) => {
      for (const { span } of groups.values()) span.end();
      if (error !== undefined) fail(run.span, error);
      run.span.end();
    },
  };
}

function cellOf({ group, row, column, call }: CallRecord): Attributes {
  return {
    'data_designer.row_group': group,
    'data_designer.row': row,
    'data_designer.column': column,
    'data_designer.call': call,
  };
}

/** Names and attributes of the GenAI semantic conventions. */
function modelSpanOf(call: ModelCallRecord): { readonly name: string; readonly attributes: Attributes } {
  const { operation, model, tokens, alias, purpose, requests, status } = call;
  const attributes = {
    ...modelAttributes(call),
    'gen_ai.response.model': call.answeredBy ?? undefined,
    'gen_ai.usage.input_tokens': tokens?.input,
    'gen_ai.usage.cache_read.input_tokens': tokens?.cachedInput,
    'gen_ai.usage.output_tokens': tokens?.output,
    'http.response.status_code': status ?? undefined,
    'data_designer.model.alias': alias,
    'data_designer.attempt': purpose,
    'data_designer.retries': requests === null ? undefined : requests - 1,
  };
  return { name: `${operation} ${model}`, attributes };
}

function toolSpanOf({ tool, provider }: ToolCallRecord): { readonly name: string; readonly attributes: Attributes } {
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'gen_ai.tool.type': 'function',
    'data_designer.tool.provider': provider,
  };
  return { name: `execute_tool ${tool}`, attributes };
}

/** The attributes that spans and metrics of a model call share. */
export function modelAttributes({ operation, provider, model, server }: ModelCallRecord): Attributes {
  const { hostname, port } = new URL(`http://${server}`);
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    'server.address': hostname,
    'server.port': Number(port || 80),
  };
}
