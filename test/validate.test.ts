import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConfigReport } from 'data-designer';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataDesigner, runCommand } from './command-line.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'validate-'));
});

afterAll(() => rm(folder, { recursive: true }));

/** The output of `validate --json` for a runnable config, and for another one. */
type Report = ConfigReport & { readonly error?: undefined };
type Refusal = Omit<ConfigReport, 'violations'> & {
  readonly violations?: undefined;
  readonly error: Pick<ConfigReport, 'violations'> & { readonly code: string; readonly message: string };
};

/** The output of `validate --json` for a text, its findings, and the exit code. */
async function validate(text: string, ...more: string[]) {
  const file = join(folder, 'config.yaml');
  await writeFile(file, text);
  const { stdout, code } = await runCommand(['validate', file, '--json', ...more]);
  const report = JSON.parse(stdout) as Report | Refusal;
  return { report, violations: report.error?.violations ?? report.violations ?? [], code };
}

test('validate lists six mistakes of a file, each with stage, path and remedy', async () => {
  const { report, violations, code } = await validate(`
model_configs:
  - { alias: writer, model: sim-small, provider: nowhere, inference_parameters: { temperature: 3 } }
columns:
  - { name: a, column_type: sampler, sampler_type: category, params: { values: [x, y] }, colour: red }
  - { name: b, column_type: sampler, sampler_type: category, params: { values: [x, y] } }
  - { name: c, column_type: expression, expr: '{{ ghost }}' }
  - { name: d, column_type: expression, expr: '{{ b' }
  - { name: e, column_type: llm-text, model_alias: writter, prompt: 'About {{ b }}' }
  - { name: f, column_type: expression, expr: '{{ g }}' }
  - { name: g, column_type: expression, expr: '{{ f }}' }
`);
  expect(report).not.toHaveProperty('violations');
  expect(report.error).toMatchObject({ code: 'config/invalid', message: expect.stringMatching(/has 6 mistakes\.$/) });
  expect(violations.map(({ stage, type, columnName, path }) => `${stage} ${type} ${columnName} ${path}`)).toEqual([
    'load invalid_value null model_configs[0].inference_parameters.temperature',
    'load unknown_key a columns[0].colour',
    'load template/syntax d columns[3].expr',
    'validate expression_reference_missing c columns[2].expr',
    'run unknown_model_alias e columns[4].model_alias',
    'run circular_reference f columns[5]',
  ]);
  expect(report).toMatchObject({ valid: false, runnable: false, normalized: null, fingerprint: null });
  expect(code).toBe(1);
});

test('a config can be valid for the Python tool and not runnable here, with the reason', async () => {
  const { report, violations, code } = await validate(`
columns:
  - { name: a, column_type: sampler, sampler_type: uniform, params: { low: 1, high: .inf } }
`);
  expect(report).toMatchObject({ valid: true, runnable: false });
  expect(report.fingerprint).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(violations.map(({ type }) => type)).toContain('invalid_params');
  expect(report.normalized?.data_designer.columns[0]?.params).toMatchObject({ low: 1, high: { $float: 'inf' } });
  expect(code).toBe(1);
});

test('a runnable config exits with 0 and prints its warnings', { tags: 'long' }, async () => {
  const text = `
model_configs: [{ alias: writer, model: sim-small, provider: simulator }]
columns: [{ name: a, column_type: llm-text, model_alias: writer, prompt: Say something. }]
`;
  const { report, violations, code } = await validate(text);
  expect(report).toMatchObject({ valid: true, runnable: true });
  expect(report).not.toHaveProperty('error');
  expect(violations.map(({ type, level }) => `${level} ${type}`)).toEqual(['WARNING prompt_without_references']);
  expect(code).toBe(0);
  const printed = await dataDesigner(['validate', join(folder, 'config.yaml')]);
  expect(printed.stdout).toMatch(
    /^Warning: .*config\.yaml:3:\d+: columns\[0\]\.prompt: [^]*\n.*config\.yaml is valid: a\n$/,
  );
  const made = await runCommand(['preview', join(folder, 'config.yaml'), '-n', '1']);
  expect(made).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Warning: .*config\.yaml:3:\d+: columns\[0\]\.prompt: /) as string,
  });
});

test.each([
  ['a: [', /config\/unreadable/],
  ['- 1', /a config must be a mapping of keys to values, but this is a list/],
  ['# to be written', /a config must be a mapping of keys to values, but this is null/],
])('an unreadable config is a report too: %j', async (text, type) => {
  const { report, violations, code } = await validate(text);
  expect(report).toMatchObject({ valid: false, runnable: false, normalized: null });
  expect(JSON.stringify(violations)).toMatch(type);
  expect(code).toBe(1);
});

test('settings without effect are reported', { tags: 'long' }, async () => {
  const settings = join(folder, 'run.yaml');
  await writeFile(settings, 'max_in_flight_tasks: 9\nshutdown_error_rate: 0.9\notel_metrics_port: 9999\n');
  const { stderr } = await runCommand(['preview', 'configs/quickstart.yaml', '-n', '1', '-c', settings]);
  expect(stderr).toMatch(/max_in_flight_tasks: this setting has no effect/);
  expect(stderr).not.toContain('shutdown_error_rate');
  expect(stderr).toMatch(/otel_metrics_port: /);
});

const examples = readdirSync(join(root, 'test/worked-examples')).filter((file) => file.endsWith('.yaml'));

test.each(examples)('the worked example %s loads and is valid', { tags: 'long' }, async (file) => {
  // Both from source: the published package knows its own class of floats only.
  const { DataDesigner } = await import('../packages/data-designer/src/index.ts');
  const { loadDocument } = await import('@data-designer/config');
  const where = join(root, 'test/worked-examples');
  const document = loadDocument(join(where, file));
  const report = await new DataDesigner().check({ document, source: file, folder: where });
  expect(report.violations.filter(({ stage, level }) => stage !== 'run' && level === 'ERROR')).toEqual([]);
  expect(report.valid).toBe(true);
});

const configs = readdirSync(join(root, 'configs')).filter((file) => file.endsWith('.yaml'));

test.each(configs)(
  'configs/%s is the same after a round trip through YAML and JSON',
  { tags: 'long' },
  async (file) => {
    const { DataDesignerConfigBuilder } = await import('data-designer');
    const builder = await DataDesignerConfigBuilder.fromConfig(join(root, 'configs', file));
    for (const text of [builder.toYaml(), builder.toJson({ for: 'python' })]) {
      const again = await DataDesignerConfigBuilder.fromConfig(text);
      expect(again.toDict()).toEqual(builder.toDict());
      expect(again.fingerprint()).toBe(builder.fingerprint());
    }
  },
);
