import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { core } from 'zod';
import { fieldsOf, isWebAddress, itemsOf, knownNames, nearest, type Violation } from '@data-designer/core';
import { camelCase, isGiven, isMapping, keysAt, type Mapping, partOf, snakeCase } from './spelling.ts';
import { entryMeant } from './value-remedies.ts';
import { loadError, type ParsedValue, printPath, type Spelling } from './document-path.ts';

type Path = readonly PropertyKey[];

export { missingBraces } from './missing-braces.ts';
export { renameColumn, renameColumnIn } from './unreadable-names.ts';
export { shorthandMistake } from './shorthand.ts';
export { remedyOfValue } from './value-remedies.ts';
export { hubPath, remedyOfOption, unfitOptions } from './call-remedies.ts';
export { jsonMistake, yamlMistake } from './syntax-mistake.ts';

/** A config and its place in its document. */
type PlaceOfConfig = Pick<ParsedValue, 'prefix' | 'document'> & { readonly spelling: Spelling };

/** Reads values by schemas; the caller has the schemas' own registry. */
interface SchemaReader {
  /** The form in which a schema reads a value. */
  readonly readForm: (schema: core.$ZodType, value: unknown) => unknown;
  /** What a schema finds wrong in a value. */
  readonly issuesOf: (schema: core.$ZodType, value: unknown) => readonly core.$ZodIssue[];
}

/** Keys under which other tools, or people, look for a key of ours. */
const OTHER_WORDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    min: ['low', 'dtMin'],
    max: ['high', 'dtMax'],
    lower: ['low'],
    upper: ['high'],
    std: ['stddev'],
    sd: ['stddev'],
    sigma: ['stddev'],
    loc: ['mean'],
    mu: ['mean'],
    type: ['columnType', 'seedType', 'providerType', 'samplerType'],
    options: ['values'],
    choices: ['values'],
    categories: ['values'],
    template: ['expr', 'prompt'],
    expression: ['expr'],
    text: ['prompt'],
    system: ['systemPrompt'],
    schema: ['outputFormat'],
    jsonSchema: ['outputFormat'],
    responseFormat: ['outputFormat'],
    language: ['codeLang'],
    model: ['modelAlias'],
    tools: ['toolAlias', 'allowTools'],
    name: ['alias', 'toolAlias'],
    id: ['name', 'alias', 'toolAlias'],
    modelName: ['model'],
    url: ['endpoint', 'endpointUrl'],
    baseUrl: ['endpoint'],
    apiBase: ['endpoint'],
    key: ['apiKey'],
    token: ['apiKey'],
    headers: ['extraHeaders'],
    file: ['path'],
    format: ['convertTo'],
    trace: ['withTrace'],
    rubric: ['scores'],
    criteria: ['scores'],
    condition: ['when'],
  }),
);

/** Names that other tools have, or people expect, for names of ours. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    llm: 'llm-text',
    text: 'llm-text',
    prompt: 'llm-text',
    structured: 'llm-structured',
    json: 'llm-structured',
    judge: 'llm-judge',
    code: 'llm-code',
    jinja: 'expression',
    template: 'expression',
    python: 'custom',
    py: 'python',
    js: 'javascript',
    ts: 'typescript',
    function: 'custom',
    choice: 'category',
    choices: 'category',
    enum: 'category',
    categorical: 'category',
    random: 'uniform',
    range: 'uniform',
    int: 'uniform',
    integer: 'uniform',
    float: 'uniform',
    normal: 'gaussian',
    date: 'datetime',
    time: 'datetime',
    name: 'person',
    id: 'uuid',
  }),
);

/** The name of ours that a name of another tool stands for; else the name itself. */
export function ourName(name: string, names: readonly string[]): string {
  const other = OTHER_NAMES.get(name.toLowerCase());
  return other !== undefined && names.includes(other) ? other : name;
}

/** An unknown key, the remedy, and the missing key of the same mapping that it stands for. */
export function explainUnknown(
  { key, path, missing = [] }: { readonly key: string; readonly path: Path; readonly missing?: readonly string[] },
  { schema, value, spelling = 'snake' }: ParsedValue,
  { readForm }: SchemaReader,
): Pick<Violation, 'message' | 'remedy'> & { readonly stands?: string } {
  const written = (name: string) => (spelling === 'snake' ? snakeCase(name) : name);
  // Where the schema has several forms, the keys that are missing are among its keys.
  const declared = keysAt(schema, { value, path });
  const all = declared.length > 0 ? declared : missing;
  const camel = camelCase(key);
  if (all.includes(camel) || all.includes(key)) {
    return { message: `the key '${key}' is given in two spellings.`, remedy: 'Remove one of them.' };
  }
  const message = `unknown key '${key}'.`;
  /** The keys of a mapping, also of one that is not there yet. */
  const keysBelow = (at: Path, member: string) => {
    const isThere = at.reduce<unknown>(partOf, value) !== undefined;
    const moved = isThere ? value : readForm(schema, withValue(value, [...at, member], null));
    return keysAt(schema, { value: moved, path: at, isTagNeeded: false });
  };
  const around = Object.entries(fieldsOf(path.reduce<unknown>(partOf, value)));
  const given = new Set(around.flatMap(([name, part]) => (part === undefined ? [] : name)));
  const known = all.filter((name) => !given.has(name));
  const parents = all.filter((name) => keysBelow([...path, name], camel).includes(camel));
  // A part that lacks the key is meant before one that has it.
  const lacking = parents.find((name) => partOf([...path, name].reduce<unknown>(partOf, value), camel) === undefined);
  const parent = lacking ?? parents[0];
  if (parent !== undefined) return { message, remedy: `Move it below '${written(parent)}'.`, stands: parent };
  const spelt = known.some((one) => snakeCase(one) !== one) ? snakeCase(key) : key;
  const near = nearest(spelt, known.map(written));
  const stands =
    OTHER_WORDS.get(camel)?.find((name) => known.includes(name)) ?? known.find((name) => written(name) === near);
  if (stands !== undefined) return { message, remedy: `Did you mean '${written(stands)}'?`, stands };
  const twin = nearest(spelt, all.map(written));
  if (twin !== undefined) return { message, remedy: `Remove it: '${twin}' is given already.` };
  return { message, remedy: all.length === 0 ? 'Remove it, or correct its name.' : knownNames('', all.map(written)) };
}

/** What the schema around an issue adds to the remedy. */
export function remedyOfSchema(
  issue: core.$ZodIssue,
  parsed: ParsedValue,
  reader: SchemaReader,
): Partial<Pick<Violation, 'remedy'>> {
  const { schema, value, spelling } = parsed;
  const found = issue.path.reduce<unknown>(partOf, value);
  if (issue.code === 'invalid_type' && issue.expected === 'array' && isMapping(found)) {
    const [first] = Object.keys(found);
    const keys = keysAt(schema, { value, path: [...issue.path, 0], isTagNeeded: false });
    const entry = entryMeant(
      found,
      keys.flatMap((one) => [one, snakeCase(one)]),
    );
    if (entry !== undefined && !parsed.isPrivate) return { remedy: entry };
    const field = keysAt(schema, { value, path: [...issue.path, 0] }).find((one) => NAME_FIELD.test(one)) ?? 'name';
    if (first === undefined || parsed.isPrivate) return {};
    if (!isMapping(found[first])) return {};
    const named = `- ${spelling === 'camel' ? field : snakeCase(field)}: ${first}`;
    return { remedy: `Write a list, in which each entry begins with its name, as in '${named}'.` };
  }
  if (issue.code === 'invalid_type' && issue.expected === 'array' && typeof found === 'string' && !parsed.isPrivate) {
    const items = found.split(',').map((item) => item.trim());
    const field = issue.path.length === 1 ? NAMED_PARTS.get(String(issue.path[0])) : undefined;
    if (field !== undefined) {
      const entry = `- ${spelling === 'camel' ? field : snakeCase(field)}: ${items[0]}`;
      return { remedy: `Write a list, in which each entry begins with its name, as in '${entry}'.` };
    }
    const isPlain = items.every((item) => /^[\w -]{1,30}$/.test(item)) && items.length <= 10;
    return isPlain ? { remedy: `Write a list, as in [${items.join(', ')}].` } : {};
  }
  if (found !== undefined || !('options' in issue) || !Array.isArray(issue.options)) return {};
  const kinds = issue.options.flatMap((one: unknown) => (typeof one === 'string' ? one : []));
  const fitting = kinds.filter((kind) => fits(kind, issue.path, { ...parsed, ...reader }));
  const names = fitting.length > 0 ? fitting : kinds;
  const key = String(issue.path.at(-1));
  const written = spelling === 'camel' ? key : snakeCase(key);
  if (names.length < 2) return { remedy: `Add it, as in '${written}: ${names[0] ?? 'a name'}'.` };
  const [first, ...others] = names;
  return { remedy: `Add it, as in '${written}: ${first}'; others: ${others.join(', ')}.` };
}

/** The lists of a config whose entries are mappings, with the key of their names. */
const NAMED_PARTS: ReadonlyMap<string, string> = new Map([
  ['columns', 'name'],
  ['modelConfigs', 'alias'],
  ['toolConfigs', 'toolAlias'],
  ['processors', 'name'],
]);

const NAME_FIELD = /^(?:name|alias|toolAlias)$/;

/** Whether a mapping is valid once its missing kind is this one. */
function fits(kind: string, path: Path, { schema, value, issuesOf }: ParsedValue & SchemaReader): boolean {
  const issues = issuesOf(schema, withValue(value, path, kind));
  const around = path.slice(0, -1);
  return !issues.some((issue) => around.every((step, at) => issue.path[at] === step));
}

/** A value with another one at a path. */
function withValue(value: unknown, [step, ...rest]: Path, inner: unknown): unknown {
  if (step === undefined) return inner;
  if (Array.isArray(value)) return value.map((item, at) => (at === step ? withValue(item, rest, inner) : item));
  return { ...fieldsOf(value), [step]: withValue(partOf(value, step), rest, inner) };
}

/** Keys that stand elsewhere than in a config, with where that is. */
const NOT_OF_A_CONFIG: ReadonlyMap<string, string> = new Map(
  Object.entries({
    providers: 'Move it to a separate file, and pass this file with --providers FILE (in code: the option providers).',
    modelProviders: 'Write it as providers in a separate file, and pass this file with --providers FILE.',
    mcpProviders: 'Write it as providers in a separate file, and pass this file with --providers FILE.',
    numRecords: 'Remove it, and give the number of records with -n (in code: numRecords).',
    datasetName: 'Remove it, and name the dataset with -d (in code: datasetName).',
    seed: 'For a seed dataset, write seed_config. For the random seed, remove the key and use --seed.',
    seedDataset: "Did you mean 'seed_config'?",
    models: "Did you mean 'model_configs'?",
    tools: "Did you mean 'tool_configs'?",
    dropColumns: "Remove it, and write 'drop: true' in each of these columns.",
    numRows: 'Remove it, and give the number of records with -n (in code: numRecords).',
    systemPrompt: 'Move it to each column that a model writes.',
    temperature: 'Move it to the inference_parameters of a model config.',
  }),
);

/** The mistakes of a document, of which those that come from misplaced columns are one. */
export function withoutStrays(found: Violation[], inner: Mapping, at: PlaceOfConfig): Violation[] {
  const print = (path: readonly PropertyKey[]) => printPath([...at.prefix, ...path], at.document, at.spelling);
  const keys = Object.keys(inner);
  const placed = found.map((one) => {
    const key = one.type === 'unknown_key' ? keys.find((name) => print([name]) === one.path) : undefined;
    const remedy = key === undefined ? undefined : NOT_OF_A_CONFIG.get(camelCase(key));
    return remedy === undefined ? one : { ...one, remedy };
  });
  if (isGiven(inner, 'columns')) return placed;
  const column = at.spelling === 'camel' ? 'columnType' : 'column_type';
  const tell = (path: readonly PropertyKey[], message: string, remedy: string) =>
    loadError(print(path), { type: 'misplaced_columns', message, remedy });
  const byName = keys.filter((key) => isColumn(inner[key]));
  const [list, index] = firstColumnOfList(inner);
  const stray = isGiven(inner, 'columnType')
    ? tell(
        [],
        `the keys of a column are at the top of the config.`,
        "Write them below the key 'columns', as a list entry that begins with '- '.",
      )
    : byName.length > 0
      ? tell(
          byName.slice(0, 1),
          `${byName.map((name) => `'${name}'`).join(' and ')} ${byName.length === 1 ? 'has' : 'have'} a ${column}, but no key 'columns' is above.`,
          `Write the line 'columns:' above, and below it each column as a list entry, as in '- name: ${byName[0]}'.`,
        )
      : list !== undefined
        ? tell(
            [list, index],
            `this entry of '${list}' is a column, and there is no key 'columns'.`,
            "Write the line 'columns:' above it.",
          )
        : undefined;
  if (stray === undefined) return placed;
  const entries = list === undefined ? [] : itemsOf(inner[list]);
  const columnsOf = entries.flatMap((entry, place) =>
    list !== undefined && isColumn(entry) ? print([list, place]) : [],
  );
  const isPart = ({ path, type }: Violation) =>
    (type === 'missing' && path === print(['columns'])) ||
    (type === 'unknown_key' && (isGiven(inner, 'columnType') || byName.some((name) => print([name]) === path))) ||
    columnsOf.some((start) => path.startsWith(start));
  return [stray, ...placed.filter((one) => !isPart(one))];
}

function isColumn(value: unknown): boolean {
  return isMapping(value) && isGiven(value, 'columnType');
}

/** The first column among the entries of another list: the line `columns:` is missing. */
function firstColumnOfList(inner: Mapping): readonly [list: string | undefined, index: number] {
  for (const [key, value] of Object.entries(inner)) {
    const index = itemsOf(value).findIndex((item) => isColumn(item));
    if (index >= 0) return [key, index];
  }
  return [undefined, 0];
}

/** The mistake of the address of one kind of requests; `endpoint` is what is left without that. */
export function addressOfRequest(endpoint: string): Pick<Violation, 'message' | 'remedy'> {
  const message = 'the address is the one of a request, which is added to the endpoint once more.';
  return { message, remedy: `Write '${endpoint}'.` };
}

/** The mistake of an address without `http://`. */
export function bareAddress(endpoint: string): Pick<Violation, 'message' | 'remedy'> {
  const isLocal = /^(?:localhost|[\d.]+|\[[\da-f:]+\])(?::|\/|$)/i.test(endpoint);
  const whole = `${isLocal ? 'http' : 'https'}://${endpoint}`;
  const remedy = isWebAddress(whole) ? `Write '${whole}'.` : 'Use an address such as https://host/v1.';
  return { message: 'the address does not start with http:// or https://.', remedy };
}

/** The file of the folder that a path may mean. */
export function nearFile(path: string): string | undefined {
  const folder = dirname(path);
  const near = existsSync(folder) ? nearest(basename(path), readdirSync(folder)) : undefined;
  return near === undefined ? undefined : `Did you mean '${join(folder, near)}'?`;
}

/** The mistake of a provider that starts a program and has no type: model providers do not. */
export function typeless() {
  const message = 'this key is missing, and a model provider has no command.';
  const remedy = "Add 'provider_type: stdio' for a tool server, or 'provider_type: execution' for programs.";
  return { field: 'providerType', type: 'missing', message, remedy } as const;
}

/** The mistake of a list of providers under a key of its own. */
export function otherProviders(key: string): Pick<Violation, 'message' | 'remedy'> {
  const remedy = "Write its entries below 'providers', each with its 'provider_type'.";
  return { message: `unknown key '${key}'.`, remedy };
}
