import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { columnTypes, samplers } from '@data-designer/columns';
import { homeFolder, type HomeFolder, processorTypes, readHome, seedKinds, seedTypeOf } from '@data-designer/config';
import { chooseFamilies, loadFamilies, packageFiles } from './agent-context.ts';
import { modelAliasStates, personaState } from './local-state.ts';
import { printState, printTypes } from './print-agent-context.ts';
import type { FamilyName, TypeFamily } from '../../../designer/src/serve/type-families.ts';

const PLUGINS = new URL('../../../../configs/plugin/', import.meta.url);
const builtIn = await loadFamilies([]);
let folder: HomeFolder;

beforeEach(() => {
  folder = homeFolder({ DATA_DESIGNER_HOME: mkdtempSync(join(tmpdir(), 'agent-')) });
});

afterEach(() => rmSync(folder.path, { recursive: true }));

function namesOf(families: readonly TypeFamily[], name: FamilyName): readonly string[] {
  return families.find(({ family }) => family === name)?.types.map(({ type }) => type) ?? [];
}

function sorted(types: readonly { readonly type: string }[]): readonly string[] {
  return types.map(({ type }) => type).toSorted();
}

test('the families contain every registered type by name, and each has a purpose', () => {
  expect(namesOf(builtIn, 'columns')).toEqual(sorted(columnTypes));
  expect(namesOf(builtIn, 'samplers')).toEqual(sorted(samplers));
  expect(namesOf(builtIn, 'processors')).toEqual(sorted(processorTypes));
  expect(namesOf(builtIn, 'seeds')).toEqual(seedKinds.map(({ schema }) => seedTypeOf(schema)).toSorted());
  expect(namesOf(builtIn, 'validators')).toEqual([
    'code',
    'execution',
    'local_callable',
    'remote',
    'state',
    'trajectory',
  ]);
  expect(namesOf(builtIn, 'environments')).toEqual(['code', 'mcp', 'simulated', 'sqlite']);
  expect(namesOf(builtIn, 'constraints')).toEqual(['column_inequality', 'scalar_inequality']);
  const undescribed = builtIn.flatMap(({ types }) => types.filter(({ description }) => description === ''));
  expect(undescribed.map(({ type }) => type)).toEqual([]);
});

test('plug-ins add to the families of their types', async () => {
  const families = await loadFamilies(['own-columns.ts', 'own-steps.ts'].map((file) => new URL(file, PLUGINS).href));
  const added = families.map(({ family }) =>
    namesOf(families, family).filter((name) => !namesOf(builtIn, family).includes(name)),
  );
  expect(added).toEqual([
    ['backwards'],
    [],
    [],
    ['capitals', 'drop_prefix', 'gather', 'lengths'],
    ['dice'],
    ['squares'],
    [],
  ]);
  expect(printTypes(chooseFamilies(families, 'processors'), packageFiles())).toMatch(
    /^capitals +Writes columns in capitals\. +columns, stage\?$/m,
  );
});

test.each(['sampler', 'Samplers', ' SAMPLERS '])("'%s' names the family of samplers", (name) => {
  expect(chooseFamilies(builtIn, name).map(({ family }) => family)).toEqual(['samplers']);
});

test('an unknown family is an error with the known ones', () => {
  expect(() => chooseFamilies(builtIn, 'models')).toThrow(
    expect.objectContaining({
      code: 'agent/unknown-family',
      message:
        "Unknown family 'models'. Use one of: columns, constraints, environments, processors, samplers, seeds, validators.",
    }),
  );
  expect(() => chooseFamilies(builtIn, 'colums')).toThrow("Did you mean 'columns'?");
});

test('types are printed with the files that declare them; keys of all types stand before the table', () => {
  const text = printTypes(chooseFamilies(builtIn, 'constraints'), packageFiles());
  expect(text.split('\n')).toEqual([
    `package_root: ${packageFiles().root}`,
    '',
    '### constraints',
    'file: {package_root}/dist/schema.json (#/$defs/dataset/properties/constraints)',
    'file: {package_root}/dist/index.d.ts (DataDesignerConfigBuilder.addConstraint)',
    'chosen by: constraint_type',
    'keys of every type (? = optional): target_column, operator, rhs, constraint_type?',
    '',
    'type               description',
    '-----------------  ---------------------------------------',
    'column_inequality  Compare with another column of the row.',
    'scalar_inequality  Compare with a number.',
  ]);
});

test('a model is usable if its provider exists and the keys that it names are set', () => {
  writeFileSync(
    folder.files.modelProviders,
    `providers:
- { name: hosted, endpoint: 'https://hosted.example/v1', api_key: HOSTED_API_KEY }
- { name: gate, endpoint: 'https://gate.example/v1', extra_headers: { x-gate: 'Bearer \${GATE}' } }
- { name: old, endpoint: 'https://old.example/v1', provider_type: telegraph }
- { name: literal, endpoint: 'https://literal.example/v1', api_key: sk-canary }
`,
    { mode: 0o600 },
  );
  const providers = ['hosted', 'gate', 'old', 'literal', 'nowhere', 'ollama', 'simulator'];
  writeFileSync(
    folder.files.modelConfigs,
    `model_configs:\n${providers.map((name) => `- { alias: ${name}-text, model: m, provider: ${name} }\n`).join('')}`,
  );
  const reasons = (environment: Record<string, string>) =>
    Object.fromEntries(modelAliasStates(readHome(folder), environment).map(({ alias, reason }) => [alias, reason]));
  expect(reasons({ HOSTED_API_KEY: ' ' })).toEqual({
    'gate-text': "Provider 'gate' is missing an API key: set GATE.",
    'hosted-text': "Provider 'hosted' is missing an API key: set HOSTED_API_KEY.",
    'literal-text': null,
    'nowhere-text': "Provider 'nowhere' is not configured.",
    'old-text': "The provider 'old' is of type 'telegraph', which is not supported.",
    'ollama-text': null,
    'simulator-text': null,
  });
  expect(reasons({ HOSTED_API_KEY: 'a', GATE: 'b' })).toMatchObject({ 'gate-text': null, 'hosted-text': null });
});

test('the state lists models by alias, and the persona collections that are installed', () => {
  const datasets = join(folder.managedAssets, 'datasets');
  mkdirSync(datasets, { recursive: true });
  writeFileSync(join(datasets, 'en_SG.parquet'), '');
  const home = readHome(folder);
  const personaDatasets = personaState(home);
  expect(personaDatasets.datasets.filter(({ installed }) => installed)).toEqual([
    { locale: 'en_SG', sizeGb: 0.3, installed: true },
  ]);
  const modelAliases = modelAliasStates(home, { OPENAI_API_KEY: 'a' });
  expect(printState({ modelAliases })).toMatch(/^openai-text +gpt-4\.1 +chat-completion +openai +True$/m);
  expect(printState({ modelAliases: [] })).toBe('(no items)');
  const both = printState({ modelAliases, personaDatasets });
  expect(both).toMatch(/^## Model Aliases\n\nmodel_alias +model +generation_type +provider +usable +reason\n/);
  expect(both).toMatch(/\n\n## Persona Datasets\n\nlocale +size +installed\n-+ {2}-+ {2}-+\n/);
  expect(both).toMatch(/^en_SG +0\.30 GB +True$/m);
});
