import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { DataDesigner, loadDataset } from 'data-designer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCommand } from './command-line.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shown-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const CONFIG = `
model_configs:
  - {alias: m, model: sim-small, provider: simulator}
  - {alias: p, model: sim-image, provider: simulator, inference_parameters: {generation_type: image}}
columns:
  - {name: colour, column_type: sampler, sampler_type: category, params: {values: ['<b onclick="x">red</b>']}}
  - {name: code, column_type: llm-code, model_alias: m, code_lang: python, with_trace: all_messages, prompt: 'Code of {{ colour }}'}
  - {name: lint, column_type: validation, target_columns: [code], validator_type: code, validator_params: {code_lang: python}}
  - {name: grade, column_type: llm-judge, model_alias: m, prompt: 'Grade {{ code }}', scores: [{name: Clarity, description: clear?, options: {1: bad, 2: good}}]}
  - {name: pic, column_type: image, model_alias: p, prompt: 'A pic of {{ colour }}'}
processors: [{name: chat, processor_type: schema_transform, template: {q: 'of {{ colour }}'}}]
`;

function written(): string {
  const path = join(folder, 'config.yaml');
  writeFileSync(path, CONFIG);
  return path;
}

/** The titles of sections, in order. */
function titlesIn(text: string): string[] {
  return [...stripVTControlCharacters(text).matchAll(/^── (.+?) ─*$/gm)].map(([, title]) => title as string);
}

test('a preview shows records in sections of the requested width', { tags: 'long' }, async () => {
  const { code, stdout } = await runCommand(['preview', written(), '-n', '1', '--display-width', '50']);
  expect(code).toBe(0);
  const parts = ['Generated columns', 'code__trace', 'Pictures', 'code', 'lint', 'grade', 'Processor output: chat'];
  expect(titlesIn(stdout)).toEqual(['Record 1 of 1', ...parts]);
  const lines = stdout.trimEnd().split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBe(50);
  expect(lines.at(-1)).toBe('1 of 1 record');
});

test('preview --save-results writes statistics, rows and a page with escaped text', { tags: 'long' }, async () => {
  const { code, stdout } = await runCommand(['preview', written(), '-n', '2', '--save-results', '-o', folder]);
  expect(code).toBe(0);
  const [name] = readdirSync(folder).filter((one) => one.startsWith('preview_results_'));
  const saved = join(folder, String(name));
  expect(stdout).toContain(`Saved in ${saved}`);
  expect(readdirSync(saved).toSorted()).toEqual(['dataset.parquet', 'report.html', 'sample_records.html']);
  const page = readFileSync(join(saved, 'sample_records.html'), 'utf8');
  expect(page.match(/<article /g)).toHaveLength(2);
  expect(page).toContain('&lt;b onclick=&quot;x&quot;&gt;red');
  expect(page).toContain('Here is one way to do it.');
  expect(page).not.toContain('<b onclick');
  expect(page).toContain('<img src="data:image/png;base64,');
  expect(page).toContain('<span class="code-keyword">def</span>');
});

test('show starts at any record, and its page includes images', { tags: 'long' }, async () => {
  const made = await runCommand(['create', written(), '-n', '3', '-o', folder, '--show', '1']);
  expect(titlesIn(made.stdout)[0]).toBe('Record 1 of 3');
  const dataset = join(folder, 'dataset');
  const { stdout } = await runCommand(['show', dataset, '--from', '2']);
  expect(titlesIn(stdout).filter((title) => title.startsWith('Record'))).toEqual(['Record 2 of 3', 'Record 3 of 3']);
  expect(stdout).toMatch(/pic\s+images\/.+\.png/);
  const page = join(folder, 'page.html');
  expect(await runCommand(['show', dataset, '-n', '2', '--html', page, '--theme', 'dark'])).toMatchObject({
    code: 0,
  });
  const text = readFileSync(page, 'utf8');
  expect(text).toContain('<html lang="en" data-theme="dark">');
  expect(text.match(/src="data:image\/png;base64,/g)).toHaveLength(2);
  const beyond = await runCommand(['show', dataset, '--from', '4']);
  expect(beyond).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("--from cannot be '4'. Use 1 to 3."),
  });
});

test('show names a dataset without records', async () => {
  const path = join(folder, 'config.yaml');
  writeFileSync(path, "columns: [{name: a, column_type: expression, expr: '{{ 1 // 0 }}'}]\n");
  expect(await runCommand(['create', path, '-n', '2', '-o', folder])).toMatchObject({ code: 1 });
  const { code, stderr } = await runCommand(['show', join(folder, 'dataset')]);
  expect(stderr).toMatch(/^Error \[dataset\/empty\]: The dataset in .*dataset has no records\. Continue it/);
  expect(code).toBe(1);
});

test('a plug-in column is shown as its type declares', { tags: 'long' }, async () => {
  const module = new URL('shown-plugin.ts', import.meta.url);
  const column = { name: 'query', column_type: 'query', table: 'towns' };
  await using designer = new DataDesigner({ artifactPath: folder, plugins: [module] });
  const declared = { document: { columns: [column] }, source: 'the test' };
  const parts = ['Record 1 of 1', 'query'];
  const previewed = await designer.preview(declared, { numRecords: 1 });
  expect(titlesIn(await previewed.recordDisplay().text(0))).toEqual(parts);
  const made = await designer.create(declared, { numRecords: 1 });
  expect(titlesIn(await made.recordDisplay().text(0))).toEqual(parts);
  const shown = await runCommand(['show', made.path, '--plugins', module.href]);
  expect(titlesIn(shown.stdout)).toEqual(parts);
  const unknown = await runCommand(['show', made.path]);
  expect(titlesIn(unknown.stdout)).toEqual(['Record 1 of 1', 'Generated columns']);
});

test('displaySampleRecord steps through records and refuses unknown options', async () => {
  await using designer = new DataDesigner({ artifactPath: folder });
  const column = { name: 'a', columnType: 'sampler', samplerType: 'category', params: { values: ['x'] } };
  const document = { columns: [column] };
  await designer.create({ document, source: 'test' }, { numRecords: 2 });
  const results = await loadDataset(join(folder, 'dataset'));
  const pages = join(folder, 'pages.html');
  const numbers: (string | undefined)[] = [];
  for (let time = 0; time < 3; time++) {
    await results.displaySampleRecord({ savePath: pages });
    numbers.push(/data-number="(\d)"/.exec(readFileSync(pages, 'utf8'))?.[1]);
  }
  expect(numbers).toEqual(['1', '2', '1']);
  const refusal = (options: object) => results.displaySampleRecord(options).then(String, String);
  expect(await refusal({ index: 2 })).toContain("The option index cannot be '2'. Use 0 to 1.");
  expect(await refusal({ savePath: join(folder, 'x.pdf') })).toContain('a file that ends in .html or .svg');
  expect(await refusal({ processorsToDisplay: ['chat'] })).toContain('no processor has an output');
  expect(await refusal({ displayWidth: 10 })).toContain('40 or more');
  expect(existsSync(join(folder, 'x.pdf'))).toBe(false);
  await results.displaySampleRecord({ index: 1, savePath: join(folder, 'x.svg'), theme: 'light' });
  const picture = readFileSync(join(folder, 'x.svg'), 'utf8');
  expect(picture).toMatch(/^<svg .*aria-label="Record 2 of dataset">/);
  expect(picture).toContain('font-weight="bold">Record 2 of 2</text>');
  expect(picture).toContain('fill="#ffffff"');
});
