import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '@data-designer/declaration';

/** The names of the recipes by topic, in the order in which they are listed. */
const NAMES = {
  'First configs': ['minimal', 'tools', 'judge', 'documents', 'samplers'],
  Tutorials: ['basics', 'structured', 'seeds', 'image-context', 'images', 'image-editing'],
  'Chats and preferences': [
    'support-chats',
    'conversations',
    're-answered-chats',
    'instructions',
    'preference-pairs',
    'best-of-n',
    'reasoning-traces',
    'refusals',
    'persona-interviews',
  ],
  Code: ['text-to-python', 'text-to-sql', 'code-review', 'verified-code', 'word-problems', 'verified-math'],
  'Documents and search': [
    'product-questions',
    'rag-evaluation',
    'report-questions',
    'search-agent',
    'embedding-pairs',
    'summaries',
    'translations',
  ],
  'Labelled texts': ['intents', 'pii-masking', 'support-tickets', 'structured-with-retries'],
  'Records of a domain': ['sensor-log', 'medical-notes', 'insurance-claims'],
  Agents: [
    'function-calls',
    'mcp-tool-questions',
    'multi-turn-tools',
    'dual-control',
    'bank-agent',
    'files-agent',
    'world-builder',
    'simulated-tools',
    'agent-rollouts',
  ],
} as const;

/** A command at the top of a config, without the words behind it. */
const COMMAND = /^(?:#|\/\/) {3}((?:npx data-designer|npm install) .*?)(?: {3}.*)?$/gm;
/** A chat model of the simulator, in YAML or TypeScript. */
const CHAT_MODEL = /\bmodel: ('?)sim-(?:small|large)\1(,?\s+)provider: '?simulator'?/g;
/** The start of a command that reads a config and needs its providers. */
const TO_CONFIG = /npx data-designer (?:preview|create|mcp list-tools) \S+/g;

/** The languages in which every recipe is written, by the endings of their files. */
export type RecipeLanguage = 'yaml' | 'ts';

/** A config to start from. */
export interface Recipe {
  readonly name: string;
  readonly topic: string;
}

/** All recipes, in the order in which they are listed. */
export const RECIPES: readonly Recipe[] = Object.entries(NAMES).flatMap(([topic, names]) =>
  names.map((name) => ({ name, topic })),
);

/** The sentence that describes a recipe: the first line of its config. */
export function describeRecipe({ name }: Recipe): string {
  const [first = ''] = readRecipeFile(`${name}.yaml`).toString().split('\n');
  return first.replace(/^# /, '');
}

/** The commands that a config names at its top, in their order. */
export function commandsIn(config: string): readonly string[] {
  const [top = ''] = config.split(/^(?:import|#\n# yaml-language-server)/m);
  return Array.from(top.matchAll(COMMAND), ([, command = '']) => command);
}

/** The config of a recipe, whose chat models and commands name a model and a provider of the user. */
export function withOwnModel(config: string, { model, provider, file }: OwnModel): string {
  const changed = config.replaceAll(CHAT_MODEL, (_, quote: string, between: string) => {
    const write = quote === '' ? yamlText : codeText;
    return `model: ${write(model)}${between}provider: ${write(provider)}`;
  });
  const flag = file === undefined ? '' : ` --providers ${file}`;
  const isSimulated = /^[^#\n]*provider: '?simulator/m.test(changed);
  return (isSimulated ? changed : changed.replace(OF_SIMULATOR, '')).replaceAll(TO_CONFIG, `$&${flag}`);
}

/** What a recipe says of its simulated models. */
const OF_SIMULATOR = /^ *(?:#|\/\/) The simulator needs no key .*\n *(?:#|\/\/) .*\n/m;

function yamlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function codeText(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}

/** A model of the user, in place of the simulated ones. */
export interface OwnModel {
  readonly model: string;
  readonly provider: string;
  /** The file that describes the provider; undefined if the provider is known without one. */
  readonly file: string | undefined;
}

/** The files of a recipe, relative to the folder of recipes: its config, then those that the config reads. */
export function filesOfRecipe({ name }: Recipe, language: RecipeLanguage): readonly string[] {
  const all = readdirSync(folder(), { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = all.map((file) => join(file.parentPath, file.name).slice(folder().length + 1));
  return [`${name}.${language}`, ...paths.filter((path) => path.startsWith(join(name, '/'))).toSorted()];
}

/** The contents of a file in the folder of recipes. */
export function readRecipeFile(path: string): Buffer {
  return readFileSync(join(folder(), path));
}

function folder(): string {
  return join(packageFolder(), 'dist', 'recipes');
}
