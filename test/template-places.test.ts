import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { parseDocument } from '@data-designer/config';
import { DataDesigner } from '../packages/data-designer/src/index.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const designer = new DataDesigner();
afterAll(() => designer[Symbol.asyncDispose]());

type Config = Readonly<Record<string, unknown>>;

const TOPIC = { name: 'topic', column_type: 'sampler', sampler_type: 'category', params: { values: ['moon', 'salt'] } };
const ANSWER = { name: 'answer', column_type: 'llm-text', model_alias: 'writer', prompt: 'About {{ topic }}.' };

function config(column: Config, top: Config = {}): Config {
  return {
    model_configs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }],
    tool_configs: [{ tool_alias: 'facts', providers: ['demo-tools', 'world'] }],
    columns: [TOPIC, { ...ANSWER, ...column }],
    ...top,
  };
}

function checked(validator_params: Config, validator_type: string): Config {
  const columns = [
    TOPIC,
    { ...ANSWER, tool_alias: 'facts' },
    { name: 'verdict', column_type: 'validation', target_columns: ['answer'], validator_type, validator_params },
  ];
  return config({}, { columns });
}

function world(environment: Config): Config {
  return config({ tool_alias: 'facts' }, { environments: [{ name: 'world', ...environment }] });
}

function attempts(block: Config): Config {
  return config({}, { attempts: [{ name: 'tries', columns: ['answer'], max: 3, ...block }] });
}

function conversation(sides: Config): Config {
  const side = { model_alias: 'writer', system_prompt: 'About {{ topic }}.' };
  const chat = { name: 'chat', column_type: 'conversation', turns: 2, user: side, assistant: side, ...sides };
  return config({}, { columns: [TOPIC, chat] });
}

const SQLITE = {
  kind: 'sqlite',
  schema: 'CREATE TABLE t (n INTEGER)',
  tools: [{ name: 'all', sql: 'SELECT n FROM t' }],
};
const TOOL = { name: 'change', parameters: { type: 'object', properties: {} } };
const SIDE = { model_alias: 'writer', system_prompt: 'About {{ topic }}.' };

/** What stands at a place: text for people or models, a template that gives a value, or an expression without braces. */
type Kind = 'text' | 'value' | 'expression' | 'condition' | 'skip';

/** Every place of a config that takes a template or an expression: its path, what it takes, and a config with it. */
const PLACES: readonly (readonly [path: string, kind: Kind, place: (text: string) => Config])[] = [
  ['columns[1].prompt', 'text', (prompt) => config({ prompt })],
  ['columns[1].system_prompt', 'text', (system_prompt) => config({ system_prompt })],
  ['columns[1].allow_tools', 'value', (allow_tools) => config({ tool_alias: 'facts', allow_tools })],
  ['columns[1].output_format', 'value', (output_format) => config({ column_type: 'llm-structured', output_format })],
  [
    'columns[1].expr',
    'text',
    (expr) => config({}, { columns: [TOPIC, { name: 'answer', column_type: 'expression', expr }] }),
  ],
  ['columns[1].skip.when', 'skip', (when) => config({ skip: { when } })],
  [
    'columns[1].prompt',
    'text',
    (prompt) => config({}, { columns: [TOPIC, { name: 'p', column_type: 'image', model_alias: 'writer', prompt }] }),
  ],
  [
    'columns[1].conditional_params',
    'condition',
    (text) => {
      const params = { values: ['a'] };
      const sampled = { ...TOPIC, name: 'other', params, conditional_params: { [text]: params } };
      return config({}, { columns: [TOPIC, sampled] });
    },
  ],
  [
    'columns[1].calls',
    'value',
    (calls) =>
      config({}, { columns: [TOPIC, { name: 'truth', column_type: 'tool-calls', tool_alias: 'facts', calls }] }),
  ],
  ['columns[1].turns', 'text', (turns) => conversation({ turns })],
  ['columns[1].opening', 'text', (opening) => conversation({ opening })],
  ['columns[1].user.system_prompt', 'text', (text) => conversation({ user: { ...SIDE, system_prompt: text } })],
  [
    'columns[1].assistant.system_prompt',
    'text',
    (text) => conversation({ assistant: { ...SIDE, system_prompt: text } }),
  ],
  [
    'columns[1].user.allow_tools',
    'value',
    (allow_tools) => conversation({ user: { ...SIDE, tool_alias: 'facts', allow_tools } }),
  ],
  [
    'columns[1].assistant.allow_tools',
    'value',
    (allow_tools) => conversation({ assistant: { ...SIDE, tool_alias: 'facts', allow_tools } }),
  ],
  ['columns[2].validator_params.same_as', 'value', (same_as) => checked({ same_as }, 'state')],
  ['columns[2].validator_params.checks[0].sql', 'text', (sql) => checked({ checks: [{ name: 'c', sql }] }, 'state')],
  [
    'columns[2].validator_params.checks[0].expr',
    'expression',
    (expr) => checked({ checks: [{ name: 'c', expr }] }, 'state'),
  ],
  [
    'columns[2].validator_params.checks[0].equals',
    'value',
    (equals) => checked({ checks: [{ name: 'c', expr: 'state', equals }] }, 'state'),
  ],
  ['columns[2].validator_params.setup', 'value', (setup) => checked({ language: 'sql', setup }, 'execution')],
  [
    'columns[2].validator_params.tests',
    'value',
    (tests) => checked({ language: 'javascript', call: 'f', tests }, 'execution'),
  ],
  ['columns[2].validator_params.expected', 'value', (expected) => checked({ language: 'sql', expected }, 'execution')],
  [
    'columns[2].validator_params.tables.t',
    'value',
    (t) => checked({ language: 'sql', expected: 'SELECT 1', tables: { t } }, 'execution'),
  ],
  ['attempts[0].until', 'expression', (until) => attempts({ until })],
  ['attempts[0].keep.best', 'expression', (best) => attempts({ keep: { best } })],
  ['attempts[0].keep.pair', 'expression', (pair) => attempts({ keep: { pair } })],
  ['select.where', 'expression', (where) => config({}, { select: { where } })],
  ['environments[0].schema', 'text', (schema) => world({ ...SQLITE, schema })],
  ['environments[0].seed', 'text', (seed) => world({ ...SQLITE, seed })],
  ['environments[0].now', 'text', (now) => world({ ...SQLITE, now })],
  ['environments[0].rows.t', 'value', (t) => world({ ...SQLITE, rows: { t } })],
  ['environments[0].tools', 'value', (tools) => world({ ...SQLITE, tools })],
  [
    'environments[0].state',
    'value',
    (state) => world({ kind: 'simulated', model_alias: 'writer', state, tools: [TOOL] }),
  ],
  [
    'environments[0].instructions',
    'text',
    (instructions) => world({ kind: 'simulated', model_alias: 'writer', state: {}, instructions, tools: [TOOL] }),
  ],
  ['environments[0].tools', 'value', (tools) => world({ kind: 'simulated', model_alias: 'writer', state: {}, tools })],
  [
    'environments[0].tools[0].lookup',
    'value',
    (lookup) => world({ kind: 'simulated', model_alias: 'writer', state: {}, tools: [{ ...TOOL, lookup }] }),
  ],
  ['environments[0].files', 'value', (files) => world({ kind: 'mcp', provider: 'demo-tools', files })],
  ['environments[0].files.a', 'text', (a) => world({ kind: 'mcp', provider: 'demo-tools', files: { a } })],
  [
    'processors[0].template.out',
    'text',
    (out) => config({}, { processors: [{ processor_type: 'schema_transform', name: 'flat', template: { out } }] }),
  ],
  [
    'processors[0].template.out',
    'text',
    (out) =>
      config(
        {},
        {
          processors: [{ processor_type: 'schema_transform', name: 'flat', keep_types: true, template: { out } }],
        },
      ),
  ],
];

/** An expression as the text of a place. */
function textAt(kind: Kind, expression: string): string {
  return kind === 'expression' || kind === 'condition' ? expression : `{{ ${expression} }}`;
}

interface Finding {
  readonly path: string;
  readonly type: string;
  readonly level: string;
  readonly line: number | null;
}

async function templateFindings(document: Config): Promise<readonly Finding[]> {
  const text = JSON.stringify(document, null, 1);
  const parsed = parseDocument(text, { path: 'config.json', json: true });
  const { violations } = await designer.check({ document: parsed, source: 'config.json', folder: root });
  return violations.filter(({ type }) => type.startsWith('template/'));
}

/** The first template mistake at a place; undefined without one. */
async function mistakeAt(document: Config): Promise<Finding | undefined> {
  const [first] = await templateFindings(document);
  return first;
}

const chain = (times: number, link: string): string => `topic${link.repeat(times)}`;

/** What no engine can read: an expression with it, and the failure. */
const MISTAKES = [
  ['a syntax mistake', 'topic |', 'template/syntax'],
  ['an unknown test', 'topic is nosuch', 'template/syntax'],
  ['an unknown filter', 'topic | nosuch', 'template/unsupported-filter'],
  ['an unknown filter on a branch', "(topic | nosuch) if topic == 'moon' else topic", 'template/unsupported-filter'],
  ['101 levels of brackets', `${'('.repeat(101)}topic${')'.repeat(101)}`, 'template/limit'],
  ['501 filters in a row', chain(501, ' | trim'), 'template/limit'],
] as const;

const places = PLACES.map(([path, kind, place]) => ({ path, kind, place }));

test.each(places)(
  '$path ($kind) reports every mistake of its text with its place',
  { tags: 'long' },
  async ({ path, kind, place }) => {
    for (const [name, expression, type] of MISTAKES) {
      // The parser of schemas finds these; it has no code.
      if (kind === 'skip' && (type !== 'template/unsupported-filter' || !name.endsWith('branch'))) continue;
      const found = await mistakeAt(place(textAt(kind, expression)));
      expect({ name, ...found }).toMatchObject({ name, type, level: 'ERROR', line: expect.any(Number) });
      expect(found?.path.startsWith(path.replace(/\.out$/, ''))).toBe(true);
    }
  },
);

/** A filter that only the native engine has, on a branch. */
const NATIVE_FILTER = "(topic | center(9)) if topic == 'moon' else topic";

test.each(places.filter(({ kind }) => kind !== 'skip'))(
  '$path ($kind) reports a filter that its engine lacks',
  async ({ kind, place }) => {
    expect(await mistakeAt(place(textAt(kind, NATIVE_FILTER)))).toMatchObject({ type: 'template/unsupported-filter' });
  },
);

const isPortable = ({ kind }: (typeof places)[number]): boolean => kind === 'text' || kind === 'condition';

/** Eleven levels of the syntax tree, which the Python tool refuses. */
const DEEP = chain(8, ' | trim');

test.each(places.filter(isPortable))('$path ($kind) reports eleven levels', async ({ kind, place }) => {
  expect(await mistakeAt(place(textAt(kind, DEEP)))).toMatchObject({ type: 'template/limit', level: 'ERROR' });
});

test.each(places.filter((one) => !isPortable(one)))(
  '$path ($kind) takes a long chain',
  { tags: 'long' },
  async ({ kind, place }) => {
    const terms = Array.from({ length: 150 }, (_, index) => `topic == '${index}'`);
    expect(await templateFindings(place(textAt(kind, terms.join(' or '))))).toEqual([]);
  },
);

test('no other file compiles a template', () => {
  const compiling = readdirSync(join(root, 'packages'), { recursive: true, encoding: 'utf8' }).filter((file) => {
    if (!/^[\w-]+\/src\/.*\.ts$/.test(file) || /\.test\.ts$|^(?:bench|template)\//.test(file)) return false;
    return /\bcompile(?:Condition|Skip|Template|Value|(?:Object|Typed)Template)\b/.test(
      readFileSync(join(root, 'packages', file), 'utf8'),
    );
  });
  expect(compiling.toSorted()).toEqual([
    'columns/src/conversation/make-conversation.ts',
    'columns/src/conversation/turn-count.ts',
    'columns/src/expression/expression.ts',
    'columns/src/image/image.ts',
    'columns/src/llm-column.ts',
    'columns/src/llm-structured/row-recipes.ts',
    'columns/src/row-tools.ts',
    'columns/src/sampler/choose-params.ts',
    'columns/src/tool-calls/tool-calls.ts',
    'columns/src/validation/validate-execution.ts',
    'columns/src/validation/validate-state.ts',
    'config/src/check/check-environments.ts',
    'config/src/check/check-expression.ts',
    'config/src/check/check-processors.ts',
    'config/src/check/check-templates.ts',
    'config/src/check/check-where.ts',
    'config/src/processors/schema-transform.ts',
    'engine/src/environments/prepare-environments.ts',
    'engine/src/row-group/skip-rules.ts',
    'engine/src/select/accepted-stored-rows.ts',
  ]);
});
