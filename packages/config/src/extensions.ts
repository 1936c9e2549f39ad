import { itemsOf } from '@data-designer/core';
import { parseTemplate } from '@data-designer/template';
import { isMapping, type Mapping } from './spelling.ts';

type Path = readonly (string | number)[];

/** A feature that the Python tool does not support. */
interface Extension {
  readonly name: string;
  /** The list of a written declaration that may use it; columns unless given. */
  readonly list?: 'model_configs' | 'tool_configs' | 'processors';
  /** Its paths in an entry of the list. */
  readonly pathsIn: (entry: Mapping) => readonly Path[];
  readonly remedy: string;
}

/** The template fields of columns. */
const TEMPLATES: readonly Path[] = [['prompt'], ['system_prompt'], ['expr'], ['skip', 'when']];

/** All features beyond the Python tool; our keys have no default, so that they are fingerprinted only if given. */
const EXTENSIONS: readonly Extension[] = [
  {
    name: 'score options as [score, meaning] pairs',
    pathsIn: ({ scores }) =>
      itemsOf(scores).flatMap((score, index) =>
        isMapping(score) && Array.isArray(score.options) ? [['scores', index, 'options']] : [],
      ),
    remedy: 'Write the options as a mapping; the scores are then text.',
  },
  {
    name: "the template filter 'jsonpath' outside of sampler conditions",
    pathsIn: (column) => TEMPLATES.filter((path) => usesJsonpath(at(column, path))),
    remedy: 'Read the members by name, as in {{ person.name }}.',
  },
  {
    name: "the validator 'trajectory'",
    pathsIn: ({ validator_type: type }) => (type === 'trajectory' ? [['validator_type']] : []),
    remedy: 'Check the finished dataset with data-designer check --trajectories.',
  },
  {
    name: "the validator 'state'",
    pathsIn: ({ validator_type: type }) => (type === 'state' ? [['validator_type']] : []),
    remedy: 'Remove the column, and check the finished dataset.',
  },
  {
    name: "the validator 'execution'",
    pathsIn: ({ validator_type: type }) => (type === 'execution' ? [['validator_type']] : []),
    remedy: 'Remove the column, and run the programs of the finished dataset.',
  },
  {
    name: "the column type 'tool-calls'",
    pathsIn: ({ column_type: type }) => (type === 'tool-calls' ? [['column_type']] : []),
    remedy: 'Remove the column.',
  },
  {
    name: "the column type 'conversation'",
    pathsIn: ({ column_type: type }) => (type === 'conversation' ? [['column_type']] : []),
    remedy: 'Remove the column, or let one model write the whole conversation as llm-structured.',
  },
  {
    name: "a template as 'output_format'",
    pathsIn: ({ output_format: format }) => (typeof format === 'string' ? [['output_format']] : []),
    remedy: 'Write one JSON Schema for all rows.',
  },
  ownKey('history', 'Remove the key, and print the messages in the prompt.'),
  ownKey(
    'allow_tools',
    'Remove the key; the Python tool offers all tools of the alias, so name them in its tool config.',
  ),
  ownKey('on_failure', 'Remove the key; a failed cell then drops its row.'),
  ownKey('fallback_model_alias', 'Remove the key; only the first model is then asked.'),
  {
    ...ownKey('structured_output', 'Remove the key; the Python tool describes the schema in the prompt.'),
    list: 'model_configs',
  },
  {
    ...ownParameter('total_timeout', 'Remove the key; the Python tool has no time limit for a whole call.'),
    list: 'model_configs',
  },
  {
    ...ownParameter('max_answer_mb', 'Remove the key; the Python tool accepts answers of any length.'),
    list: 'model_configs',
  },
  {
    ...ownParameter('requests_per_minute', 'Remove the key, and lower max_parallel_requests.'),
    list: 'model_configs',
  },
  {
    ...ownParameter('tokens_per_minute', 'Remove the key, and lower max_parallel_requests.'),
    list: 'model_configs',
  },
  {
    ...ownKey('max_result_chars', 'Remove the key; the Python tool shows models whole results.'),
    list: 'tool_configs',
  },
  {
    ...ownKey('structured', 'Remove the key; the Python tool shows models the text alone.'),
    list: 'tool_configs',
  },
  {
    ...ownKey('on_tool_failure', 'Remove the key; the Python tool gives the model the error.'),
    list: 'tool_configs',
  },
  {
    ...ownKey('single_machine', 'Remove the key; the Python tool runs on one machine.'),
    list: 'tool_configs',
  },
  {
    ...ownKey('keep_types', 'Remove the key; the Python tool writes the text of every value.'),
    list: 'processors',
  },
  { ...ownKey('pricing', 'Remove the key; prices can also come from a file.'), list: 'model_configs' },
];

/** A key of our own. */
function ownKey(key: string, remedy: string): Extension {
  return { name: `the key '${key}'`, pathsIn: (entry) => (Object.hasOwn(entry, key) ? [[key]] : []), remedy };
}

/** A key of our own among the inference parameters. */
function ownParameter(key: string, remedy: string): Extension {
  const own = ownKey(key, remedy);
  const pathsIn: Extension['pathsIn'] = ({ inference_parameters: parameters }) =>
    isMapping(parameters) ? own.pathsIn(parameters).map((path) => ['inference_parameters', ...path]) : [];
  return { ...own, pathsIn };
}

/** An extension in a declaration, with its path. */
interface UsedExtension {
  readonly extension: Extension;
  readonly path: Path;
}

/** The lists of a written declaration whose entries may have extensions. */
export interface ExtensibleLists {
  readonly columns: readonly Mapping[];
  readonly model_configs?: readonly Mapping[];
  readonly tool_configs?: readonly Mapping[];
  readonly processors?: readonly Mapping[] | null;
  readonly environments?: readonly Mapping[];
  readonly attempts?: readonly Mapping[];
  readonly select?: Mapping;
  readonly seed_config?: unknown;
}

/** The extensions in the columns, model configs, tool configs and processors of a written declaration. */
export function extensionsIn({
  columns,
  model_configs = [],
  tool_configs = [],
  processors,
  environments = [],
  attempts = [],
  select,
  seed_config: seed,
}: ExtensibleLists): UsedExtension[] {
  const used = Object.entries({ columns, model_configs, tool_configs, processors: processors ?? [] });
  const selection = select ? [{ extension: SELECT, path: ['select'] }] : [];
  const worlds = environments.length > 0 ? [{ extension: ENVIRONMENTS, path: ['environments'] }] : [];
  const blocks = attempts.length > 0 ? [{ extension: ATTEMPTS, path: ['attempts'] }] : [];
  return [
    ...used.flatMap(([list, entries]) => usedIn(list, entries)),
    ...usedBySeed(seed),
    ...worlds,
    ...blocks,
    ...selection,
  ];
}

const ENVIRONMENTS = ownKey('environments', 'Remove the key; the Python tool shares its MCP servers between rows.');
const ATTEMPTS = ownKey('attempts', 'Remove the key; the Python tool makes each cell once.');
const SELECT = ownKey('select', 'Remove the key, and filter the finished dataset.');

/** Keys of our own in the source of a table. */
const TABLE_OPTIONS = ['delimiter', 'header', 'types', 'max_row_bytes'].map((key) =>
  ownKey(key, 'Remove the key, and convert the file to UTF-8 Parquet with the types that you want.'),
);
const TABLE_ENCODING = ownKey('encoding', 'Remove the key, and convert the file to UTF-8.');

function usedBySeed(seed: unknown): UsedExtension[] {
  const source = isMapping(seed) ? seed.source : undefined;
  if (!isMapping(source)) return [];
  // Folders of files have an encoding in the Python tool too.
  const isTable = source.seed_type === 'local' || source.seed_type === 'hf';
  return [...TABLE_OPTIONS, ...(isTable ? [TABLE_ENCODING] : [])].flatMap((extension) =>
    extension.pathsIn(source).map((path) => ({ extension, path: ['seed_config', 'source', ...path] })),
  );
}

function usedIn(list: string, entries: readonly Mapping[]): UsedExtension[] {
  const extensions = EXTENSIONS.filter(({ list: of = 'columns' }) => of === list);
  return entries.flatMap((entry, index) =>
    extensions.flatMap((extension) =>
      extension.pathsIn(entry).map((path) => ({ extension, path: [list, index, ...path] })),
    ),
  );
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, step) => (isMapping(part) ? part[String(step)] : undefined), value);
}

function usesJsonpath(source: unknown): boolean {
  if (typeof source !== 'string' || !source.includes('jsonpath')) return false;
  try {
    return hasFilter(parseTemplate(source).tree, 'jsonpath');
  } catch {
    return false;
  }
}

function hasFilter(node: unknown, name: string): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if ('kind' in node && node.kind === 'filter' && 'name' in node && node.name === name) return true;
  return Object.values(node).some((part) => hasFilter(part, name));
}
