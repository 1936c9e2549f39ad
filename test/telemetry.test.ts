import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { context, metrics, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { DataDesigner, DataDesignerConfigBuilder } from 'data-designer';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RunningSimulator, startSimulator } from '@data-designer/simulator';

const KEY = 'sk-a-key-that-no-span-has';

let simulator: RunningSimulator;
let artifactPath: string;
let spans: InMemorySpanExporter;
let exporter: InMemoryMetricExporter;
let meters: MeterProvider;

beforeAll(async () => {
  simulator = await startSimulator('--faults', '503=0.15', '--retry-after', '0', '--api-key', KEY);
});
afterAll(() => simulator[Symbol.asyncDispose]());

beforeEach(() => {
  artifactPath = mkdtempSync(join(tmpdir(), 'telemetry-'));
  spans = new InMemorySpanExporter();
  exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: 1_000_000,
    exportTimeoutMillis: 1000,
  });
  meters = new MeterProvider({ readers: [reader] });
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] }));
  metrics.setGlobalMeterProvider(meters);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
});
afterEach(async () => {
  await meters.shutdown();
  for (const api of [trace, metrics, context]) api.disable();
  rmSync(artifactPath, { recursive: true });
});

function designer(apiKey = KEY): DataDesigner {
  const own = { name: 'own', endpoint: simulator.url, providerType: 'openai', apiKey } as const;
  return new DataDesigner({
    artifactPath,
    providers: { models: [own], tools: [] },
    runConfig: { seed: 3, bufferSize: 4 },
  });
}

const declared = () =>
  new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'writer', model: 'sim-small', provider: 'own' })
    .addToolConfig({ toolAlias: 'facts', providers: ['demo-tools'] })
    .addColumn({ name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {} })
    .addColumn({
      name: 'text',
      columnType: 'llm-text',
      modelAlias: 'writer',
      toolAlias: 'facts',
      prompt: 'Secret recipe {{ id }}: use get_fact.',
    });

const msOf = ([seconds, nanoseconds]: readonly [number, number]) => seconds * 1000 + nanoseconds / 1e6;
const named = (start: string) => spans.getFinishedSpans().filter(({ name }) => name.startsWith(start));
const sum = (of: readonly ReadableSpan[], key: string) =>
  of.reduce((total, { attributes }) => total + Number(attributes[key] ?? 0), 0);

/** The data points of a metric after the last collection: attributes and value. */
async function points(name: string): Promise<readonly { attributes: object; value: unknown }[]> {
  await meters.forceFlush();
  const last = exporter.getMetrics().at(-1)?.scopeMetrics ?? [];
  const metric = last.flatMap((scope) => scope.metrics).find(({ descriptor }) => descriptor.name === name);
  return metric?.dataPoints ?? [];
}

test(
  'a run is a span of the active one, its row groups of it, and their calls add up to its usage',
  { tags: 'long' },
  async () => {
    await using making = designer();
    const caller = trace.getTracer('test').startSpan('caller');
    const within = trace.setSpan(context.active(), caller);
    const results = await context.with(within, () => making.create(declared(), { numRecords: 12 }));
    caller.end();
    const [run] = named('data_designer.create');
    expect(run?.parentSpanContext?.spanId).toBe(caller.spanContext().spanId);
    expect(run?.attributes).toMatchObject({ 'data_designer.rows.requested': 12, 'data_designer.rows': 12 });
    const groups = named('data_designer.row_group');
    expect(groups.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(
      groups.map(() => run?.spanContext().spanId),
    );
    expect(sum(groups, 'data_designer.rows')).toBe(12);
    const calls = named('chat sim-small');
    const usage = results.usage['writer'];
    expect(calls.length + sum(calls, 'data_designer.retries')).toBe(usage?.requests);
    expect(sum(calls, 'data_designer.retries')).toBeGreaterThan(0);
    expect(sum(calls, 'gen_ai.usage.input_tokens')).toBe(usage?.inputTokens);
    expect(sum(calls, 'gen_ai.usage.output_tokens')).toBe(usage?.outputTokens);
    const tools = named('execute_tool ');
    expect(tools.length).toBe(Object.values(results.tools).reduce((total, { calls: count }) => total + count, 0));
    for (const span of [...calls, ...tools]) {
      const parent = groups.find((group) => group.spanContext().spanId === span.parentSpanContext?.spanId);
      expect(span.attributes['data_designer.row_group']).toBe(parent?.attributes['data_designer.row_group']);
      // Clocks of threads differ by less.
      expect(msOf(span.startTime)).toBeGreaterThan(msOf(parent!.startTime) - 50);
      expect(msOf(span.endTime)).toBeLessThan(msOf(parent!.endTime) + 50);
    }
    expect(calls[0]?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'own',
      'gen_ai.request.model': 'sim-small',
      'gen_ai.response.model': 'sim-small',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(simulator.url).port),
      'data_designer.model.alias': 'writer',
      'data_designer.column': 'text',
    });
    const text = JSON.stringify(
      spans.getFinishedSpans().map(({ name, attributes, events }) => ({ name, attributes, events })),
    );
    for (const hidden of [KEY, 'Secret recipe']) expect(text).not.toContain(hidden);
  },
);

test('the metrics of a run count its records, tokens and failures', { tags: 'long' }, async () => {
  await using making = designer();
  let progress: Promise<Awaited<ReturnType<typeof points>>> | undefined;
  const results = await making.create(declared(), {
    numRecords: 8,
    onEvent: ({ type }) => void (type === 'row-group-end' && (progress ??= points('data_designer.dataset.progress'))),
  });
  const [share] = (await progress) ?? [];
  expect(share?.value).toBeGreaterThan(0);
  expect(share?.value).toBeLessThanOrEqual(1);
  const usage = results.usage['writer'];
  const tokens = await points('gen_ai.client.token.usage');
  const sums = tokens.map(({ attributes, value }) => [
    (attributes as Record<string, unknown>)['gen_ai.token.type'],
    (value as { sum: number }).sum,
  ]);
  expect(Object.fromEntries(sums)).toEqual({ input: usage?.inputTokens, output: usage?.outputTokens });
  const [duration] = await points('gen_ai.client.operation.duration');
  expect(duration?.value).toMatchObject({ buckets: { boundaries: expect.arrayContaining([0.01, 81.92]) as object } });
  expect(await points('data_designer.dataset.records')).toMatchObject([
    { attributes: { 'record.result': 'generated' }, value: 8 },
  ]);
  expect(await points('data_designer.scheduler.events')).toMatchObject([
    { attributes: { 'event.name': 'job.started' }, value: 1 },
    { attributes: { 'event.name': 'job.completed', outcome: 'success' }, value: 1 },
  ]);
  expect(await points('data_designer.create.duration')).toMatchObject([{ value: { count: 1 } }]);
});

test('a failed run and its refused calls are spans with the error code, in a preview too', async () => {
  await using making = designer('sk-a-wrong-key');
  await expect(making.create(declared(), { numRecords: 4 })).rejects.toMatchObject({ code: 'model/unauthorized' });
  await expect(making.preview(declared(), { numRecords: 1 })).rejects.toMatchObject({ code: 'model/unauthorized' });
  const failed = { attributes: { 'error.type': 'model/unauthorized' }, status: { code: SpanStatusCode.ERROR } };
  expect(named('data_designer.create')).toMatchObject([failed]);
  const [run, ...others] = named('data_designer.preview');
  expect(others).toEqual([]);
  expect(run).toMatchObject(failed);
  const [call] = named('chat').slice(-1);
  expect(call).toMatchObject({ ...failed, attributes: { 'http.response.status_code': 401 } });
  const group = named('data_designer.row_group').at(-1);
  expect(call?.parentSpanContext?.spanId).toBe(group?.spanContext().spanId);
  expect(group?.parentSpanContext?.spanId).toBe(run?.spanContext().spanId);
  const completed = (await points('data_designer.scheduler.events')).at(-1);
  expect(completed?.attributes).toMatchObject({ outcome: 'error', 'error.type': 'model/unauthorized' });
});
