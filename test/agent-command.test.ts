import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Finished, runCommand } from './command-line.ts';

const PUBLISHED = new URL('../packages/data-designer/dist/plugins.js', import.meta.url).href;
const PLUGIN = './plugin.mjs';
let home: string;

/** The plug-in imports the published files: with the sources, as `data-designer` would be here, it takes seconds to load. */
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'agent-command-'));
  writeFileSync(
    join(home, PLUGIN),
    `import { columnFields, defineColumn, definePlugin } from '${PUBLISHED}';
    import { z } from '${import.meta.resolve('zod')}';
    const schema = z.strictObject({ ...columnFields('backwards'), of: z.string() });
    export const plugin = definePlugin({
      columns: [defineColumn({ type: 'backwards', schema, writes: () => [], cell: () => () => [''] })],
    });`,
  );
});

afterAll(() => rmSync(home, { recursive: true }));

function agent(...args: readonly string[]): Promise<Finished> {
  const env = { DATA_DESIGNER_HOME: home, NVIDIA_API_KEY: 'a', OPENAI_API_KEY: undefined };
  return runCommand(['agent', ...args], { env, cwd: home });
}

interface Context {
  readonly files: Readonly<Record<string, string>>;
  readonly families: readonly { readonly family: string; readonly types: readonly { readonly type: string }[] }[];
  readonly state: { readonly modelAliases: readonly { readonly alias: string; readonly usable: boolean }[] };
  readonly commands: readonly { readonly command: string }[];
}

test('agent context prints types, usable models, personas and commands, as text and as JSON', async () => {
  const text = await agent('context');
  const json = await agent('context', '--json', '--plugins', PLUGIN);
  expect(text).toMatchObject({ code: 0, stderr: '' });
  const titles = text.stdout.match(/^## .*/gm);
  expect(titles).toEqual(['## Config Module', '## Types', '## Model Aliases', '## Persona Datasets', '## Commands']);
  expect(text.stdout).toMatch(/^nvidia-text +\S+ +chat-completion +nvidia$/m);
  expect(text.stdout).not.toMatch(/^openai-text/m);
  expect(text.stdout).toContain('without a key, give it a model of the built-in simulator');
  expect(text.stdout).toMatch(/^data-designer create <source> +Make a dataset/m);
  const { files, families, state, commands } = JSON.parse(json.stdout) as Context;
  expect(Object.values(files).filter((path) => !existsSync(path))).toEqual([]);
  expect(families.flatMap(({ types }) => types.map(({ type }) => type))).toEqual(
    expect.arrayContaining(['llm-text', 'backwards', 'category', 'hf']),
  );
  expect(state.modelAliases).toContainEqual(expect.objectContaining({ alias: 'openai-text', usable: false }));
  expect(commands.map(({ command }) => command)).toContain('data-designer agent types [family]');
});

test('agent types prints the JSON Schemas of a family, those of plug-ins included', async () => {
  const { code, stdout } = await agent('types', 'Column', '--plugins', PLUGIN, '--json');
  expect(code).toBe(0);
  const { families } = JSON.parse(stdout) as Context;
  expect(families).toHaveLength(1);
  expect(families[0]?.types).toContainEqual(
    expect.objectContaining({
      type: 'backwards',
      required: ['name', 'column_type', 'of'],
      schema: expect.objectContaining({ properties: expect.objectContaining({ of: expect.any(Object) }) }),
    }),
  );
});

test('agent alone prints its help', async () => {
  const { code, stdout } = await agent();
  expect(code).toBe(0);
  expect(stdout).toContain('types [options] [family]');
});

test('an unknown family fails with its code, and an unknown part of the state is a usage error', async () => {
  const family = await agent('types', 'models');
  const part = await agent('state', 'models');
  expect(family).toMatchObject({ code: 1, stdout: '' });
  expect(family.stderr).toMatch(/^Error \[agent\/unknown-family\]: Unknown family 'models'\. /);
  expect(part.code).toBe(2);
  expect(part.stderr).toContain('Allowed choices are model-aliases, persona-datasets.');
});

test('agent state fails for a home folder with mistakes', async () => {
  const path = join(home, 'model_configs.yaml');
  writeFileSync(path, 'model_configs: [{ alias: writer, model: m }]');
  const { code, stderr } = await agent('state', 'model-aliases');
  rmSync(path);
  expect(code).toBe(1);
  expect(stderr).toContain('Error [config/invalid]');
});
