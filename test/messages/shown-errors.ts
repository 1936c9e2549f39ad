import type { FailureCode } from '@data-designer/core';
import type { Mistake } from './mistakes.ts';

/** A command whose output the errors page shows. */
export interface ShownError extends Mistake {
  /** A command that makes a dataset first. */
  readonly first?: readonly string[];
}

const WRITER = 'model_configs: [{ alias: writer, model: acme-7b, provider: acme }]\n';
const TOPIC = '  - { name: topic, column_type: sampler, sampler_type: category, params: { values: [birds, ships] } }\n';
const ACME = 'name: acme, endpoint: ORIGIN/v1, provider_type: openai, api_key: ACME_KEY';
const TOPICS = { 'facts.yaml': `columns:\n${TOPIC}` };
const CREATE = ['create', 'facts.yaml', '-n', '6', '--seed', '7', '-d', 'facts'] as const;

/** A preview of the columns `topic` and another. */
const preview = (column: string, top = '', provider = ACME): ShownError => ({
  files: {
    'facts.yaml': `${top}columns:\n${TOPIC}  - { ${column}, on_failure: abort }\n`,
    'providers.yaml': `providers: [{ ${provider} }]\n`,
  },
  args: ['preview', 'facts.yaml', '-n', '1', '--seed', '1', '--providers', 'providers.yaml'],
});

const expression = (rest: string): ShownError => preview(`name: size, column_type: expression, ${rest}`);

/** A command with a topic that is JSON text, whose members only a run knows. */
const ofJson = ({ files, ...shown }: ShownError): ShownError => ({
  ...shown,
  files: { ...files, 'facts.yaml': (files['facts.yaml'] ?? '').replace('[birds, ships]', `['{"y": 1}']`) },
});

/** A column whose prompt says what the server answers. */
const asked = (prompt: string, provider = ACME): ShownError =>
  preview(`name: fact, column_type: llm-text, model_alias: writer, prompt: "${prompt}"`, WRITER, provider);

/** A command on the dataset `artifacts/facts`. */
const onDataset = (args: readonly string[], config = ''): ShownError => ({
  files: { 'facts.yaml': `${config}columns:\n${TOPIC}` },
  first: CREATE,
  args,
});

const command = (...args: readonly string[]): ShownError => ({ files: TOPICS, args });

/** The commands that print what docs/reference/errors.md shows, by the code of the section. */
export const SHOWN: Readonly<Partial<Record<FailureCode, ShownError>>> = {
  'config/unreadable': { files: {}, args: ['validate', 'facts.yaml'] },
  'config/invalid': {
    files: { 'facts.yaml': 'columns:\n  - { name: size, column_type: expression }\n' },
    args: ['preview', 'facts.yaml'],
  },
  'secret/missing': asked('x', ACME.replace('ACME_KEY', 'OPENAI_API_KEY')),
  'template/syntax': expression("expr: '{{ topic | a'"),
  'template/refused': expression(`expr: "{% import 'x' as y %}"`),
  'template/unsupported-filter': expression("expr: '{{ topic | uper }}'"),
  'template/empty-render': ofJson(expression("expr: '{{ topic.x }}'")),
  'template/record': expression("expr: 'many', dtype: int"),
  'model/unauthorized': asked('401 Incorrect API key provided'),
  'model/permission-denied': asked('403 no access to this model'),
  'model/quota-exceeded': asked('402 insufficient credit'),
  'model/not-found': asked('404 model not found'),
  'model/context-exceeded': asked('400 maximum context length is 8192 tokens'),
  'model/unprocessable': asked('422 invalid image'),
  'model/unsupported-parameter': asked("400 'temperature' is not supported"),
  'model/rejected': asked('400 invalid request'),
  'model/no-choice': asked('none'),
  'model/gave-up': preview(
    'name: quiz, column_type: llm-structured, model_alias: writer, prompt: x, output_format: { type: object, properties: { age: { type: integer } } }',
    WRITER,
  ),
  'plugin/unusable': {
    files: { ...TOPICS, 'my-plugin.mjs': 'export const x = 1;\n' },
    args: ['preview', 'facts.yaml', '--plugins', './my-plugin.mjs'],
  },
  'plugin/unknown-catalog': command('plugin', 'list', '--catalog', 'acme'),
  'cluster/invalid-connection': command('create', 'facts.yaml', '--cluster', 'queue:6379'),
  'usage/invalid': command('validate', 'facts.yaml', '--jsn', '--json'),
  'agent/unknown-family': command('agent', 'types', 'models'),
  'dataset/missing': command('show', 'artifacts/fact'),
  'dataset/remote': command('create', 'facts.yaml', '-o', 's3://bucket/facts'),
  'dataset/no-format': onDataset(['export', 'artifacts/facts', '-o', 'facts.xls']),
  'dataset/no-processor': onDataset(
    ['export', 'artifacts/facts', '--processor', 'chats'],
    "processors: [{ name: chat, processor_type: schema_transform, template: { a: '{{ topic }}' } }]\n",
  ),
  'dataset/no-chats': onDataset(['export', 'artifacts/facts', '-f', 'chat-jsonl']),
  'dataset/incompatible': onDataset([
    'create',
    'facts.yaml',
    '-n',
    '6',
    '--seed',
    '8',
    '-d',
    'facts',
    '--resume',
    'always',
  ]),
  'select/exhausted': {
    files: { 'facts.yaml': `select: { where: "topic == 'birds'", max_candidates: 6 }\ncolumns:\n${TOPIC}` },
    args: CREATE,
  },
  'select/too-few': onDataset(['select', 'artifacts/facts', '-n', '6', '--where', "topic == 'birds'"]),
};
