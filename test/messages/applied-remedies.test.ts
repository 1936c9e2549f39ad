import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCommand } from '../command-line.ts';
import { FIRST_HOUR, FURTHER, type Mistake } from './mistakes.ts';

const folder = mkdtempSync(join(tmpdir(), 'applied-remedies-'));

afterAll(() => rmSync(folder, { recursive: true }));

/** A finding as `--json` prints it. */
interface Finding {
  readonly path?: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  readonly remedy?: string;
}

/** The text of a config with the value of a key replaced, from its place on; a value ends at the end of its line or mapping. */
function withValue(text: string, { line = 1, column = 1 }: Finding, value: string): string {
  const lines = text.split('\n');
  const before = (lines[line - 1] ?? '').slice(0, column - 1);
  const rest = (lines[line - 1] ?? '').slice(column - 1);
  const [, key = '', old = ''] = /^([\w.]+:\s*)(.*)$/.exec(rest) ?? [];
  // In a mapping in braces the last value is the one that is wrong.
  const end = before.includes('{') ? ' }' : '';
  lines[line - 1] = old === '' ? rest : `${before}${key}${value}${end}`;
  return lines.join('\n');
}

/** A config with what a remedy says; undefined if that is no edit of the place that the message names. */
function applied(text: string, finding: Finding): string | undefined {
  const { line = 1, message, remedy = '' } = finding;
  const meant = /^Did you mean '([^']+)'\?/.exec(remedy)?.[1];
  const wrong = /'([^']+)'/.exec(message)?.[1];
  if (meant !== undefined && wrong !== undefined) {
    const lines = text.split('\n');
    lines[line - 1] = (lines[line - 1] ?? '').replace(new RegExp(`(?<![\\w-])${wrong}(?![\\w-])`), meant);
    return lines.join('\n');
  }
  const quoted = /^Quote the value: (.*)$/.exec(remedy)?.[1];
  if (quoted !== undefined)
    return text
      .split('\n')
      .map((one, at) => (at === line - 1 ? one.replace(/\S.*$/, quoted) : one))
      .join('\n');
  const added = /^Add it, as in '([^']+)'/.exec(remedy)?.[1];
  if (added !== undefined) {
    const lines = text.split('\n');
    const own = lines[line - 1] ?? '';
    const isFlow = own.includes('{');
    lines[line - 1] = isFlow ? own.replace('{', `{ ${added},`) : `${own}\n    ${added}`;
    return lines.join('\n');
  }
  const value =
    /^Write a list, as in (\[.*\])\.$/.exec(remedy)?.[1] ??
    /^Write (\{ type: object, .*\})\.$/.exec(remedy)?.[1] ??
    /^Write ('\{\{.*\}\}')\.$/.exec(remedy)?.[1] ??
    /^Write it with braces, as in (\{\{.*\}\})\.$/.exec(remedy)?.[1]?.replace(/.*/, "'$&'");
  return value === undefined ? undefined : withValue(text, finding, value);
}

/** What `validate` finds in the files of a mistake. */
async function findings({ files, args }: Mistake, config: string): Promise<readonly Finding[]> {
  const cwd = mkdtempSync(join(folder, 'case-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), name === 'facts.yaml' ? config : text);
  }
  const providers = args.includes('--providers') ? ['--providers', 'providers.yaml'] : [];
  const env = { DATA_DESIGNER_HOME: join(cwd, 'home') };
  const { stdout } = await runCommand(['validate', 'facts.yaml', ...providers, '--json'], { cwd, env });
  const { error, violations } = JSON.parse(stdout) as {
    readonly violations?: readonly Finding[];
    readonly error?: Finding & { readonly violations?: readonly Finding[] };
  };
  return violations ?? error?.violations ?? (error ? [error] : []);
}

/** The mistakes whose remedies are edits of the named place. */
const EDITS = [
  'a prompt with a colon and no quotes',
  'a prompt that begins with a template and has no quotes',
  'a misspelt column in a prompt',
  'values in one text',
  'an output format of names and types',
  'members of an answer with their types',
  'an expression that is Python',
  'a condition with one equals sign',
  'a type in another spelling',
  'a type of another tool',
  'a sampler that is a choice',
  'a filter that does not exist',
  'a subcategory without its category',
  'a language in short',
  'the key model in place of model_alias',
  'a type of processor that does not exist',
];

test.each(EDITS)('what the message says about %s makes the config valid', async (title) => {
  const mistake = FIRST_HOUR[title] ?? FURTHER[title];
  let config = mistake?.files['facts.yaml'] ?? '';
  let found = await findings(mistake!, config);
  expect(found.length, 'the mistake is found').toBeGreaterThan(0);
  // Each remedy may show a further mistake, as a column type does whose keys differ.
  for (let edits = 0; edits < 3 && found.length > 0; edits++) {
    const edited = applied(config, found[0]!);
    expect(edited, `an edit by: ${found[0]!.message} ${found[0]!.remedy}`).toBeDefined();
    config = edited!;
    found = await findings(mistake!, config);
  }
  expect({ config, found }).toEqual({ config, found: [] });
});
