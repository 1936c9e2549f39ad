import type { MCPProvider } from '@data-designer/config';
import { checkAddress, pairs } from '../flags/parse-flags.ts';
import type { EntryFields } from '../save-entry.ts';
import { type Asker, askTexts } from './asker.ts';
import { askMenu } from './entry-menu.ts';
import { type Form, nameQuestion, type Question } from './form.ts';
import { apiKeyField, checkPair, type KeyAnswers, keyQuestions } from './key-questions.ts';
import { requireText } from './prompts.ts';

interface Answers extends KeyAnswers {
  readonly name: string;
  readonly providerType: MCPProvider['providerType'];
  readonly command: string;
  readonly args: readonly string[];
  /** `KEY=VALUE` each; undefined to keep those that are stored. */
  readonly env: readonly string[];
  /** The names of the variables that are stored. */
  readonly storedEnv: readonly string[];
  readonly endpoint: string;
}

/** The wizard that adds, changes and deletes MCP providers of the home folder. */
export function askProviders(): Promise<void> {
  return askMenu<Answers>({ file: 'mcpProviders', noun: 'MCP provider', form, answersOf });
}

const TRANSPORTS = [
  { value: 'stdio', name: 'Start a program (stdio)' },
  { value: 'streamable_http', name: 'Connect to an address (streamable HTTP)' },
  { value: 'sse', name: 'Connect to an address (SSE, deprecated)' },
] as const;

const isProgram = ({ providerType }: Partial<Answers>): boolean => providerType === 'stdio';
const isRemote = (answers: Partial<Answers>): boolean => !isProgram(answers);

const PROGRAM: readonly Question<Answers>[] = [
  {
    label: 'Program',
    isAsked: isProgram,
    ask: async (asker, { command: before }) => ({
      command: await asker.text({ message: 'Program to start', before, validate: requireText }),
    }),
    show: ({ command = '' }) => command,
  },
  {
    label: 'Arguments',
    isAsked: isProgram,
    ask: async (asker, { args: before = [] }) => ({ args: await askTexts(asker, 'Argument', { before }) }),
    show: ({ args = [] }) => args.join(' '),
  },
  {
    label: 'Environment variables',
    isAsked: isProgram,
    ask: askVariables,
    show: ({ env, storedEnv = [] }) => (env?.map((pair) => pair.replace(/=.*/s, '')) ?? storedEnv).join(', '),
  },
];

async function askVariables(asker: Asker, { env, storedEnv = [] }: Partial<Answers>): Promise<Partial<Answers>> {
  if (env === undefined && storedEnv.length > 0) {
    const isReplaced = await asker.confirm(`Environment variables: ${storedEnv.join(', ')}. Replace them?`, false);
    if (!isReplaced) return {};
  }
  const label = 'Environment variable (KEY=VALUE)';
  return { env: await askTexts(asker, label, { before: env ?? [], validate: checkPair }) };
}

function form(name: string | undefined, names: readonly string[]): Form<Answers> {
  const isNew: readonly Question<Answers>[] = [
    {
      label: 'Transport',
      ask: async (asker, { providerType: before }) => ({
        providerType: await asker.select<Answers['providerType']>('How do you connect to it?', TRANSPORTS, { before }),
      }),
      show: ({ providerType = '' }) => providerType,
    },
    nameQuestion('name', { label: 'Name', message: 'Provider name (used in configs)', names }),
  ];
  const address: Question<Answers> = {
    label: 'Address',
    isAsked: isRemote,
    ask: async (asker, { endpoint: before }) => ({
      endpoint: await asker.text({ message: 'Server address', before, validate: checkAddress }),
    }),
    show: ({ endpoint = '' }) => endpoint,
  };
  const key = keyQuestions(name !== undefined).map((question): Question<Answers> => ({
    ...question,
    isAsked: (answers) => isRemote(answers) && question.isAsked?.(answers) !== false,
  }));
  return {
    file: 'mcpProviders',
    questions: [...(name === undefined ? isNew : []), ...PROGRAM, address, ...key],
    changeOf: (answers) =>
      name === undefined
        ? {
            kind: 'add',
            name: answers.name ?? '',
            fields: { providerType: answers.providerType, ...fieldsOf(answers) },
          }
        : { kind: 'update', name, fields: fieldsOf(answers) },
  };
}

/** The fields of the transport; lists that were empty before and after are left out. */
function fieldsOf(answers: Partial<Answers>): EntryFields {
  if (isRemote(answers)) return { endpoint: answers.endpoint, ...apiKeyField(answers) };
  const { command, args = [], env, storedEnv = [] } = answers;
  const variables = env?.reduce<Readonly<Record<string, string>>>((all, text) => pairs(text, all), {});
  const isKept = env === undefined || (env.length === 0 && storedEnv.length === 0);
  return { command, args: args.length > 0 ? args : undefined, ...(isKept ? {} : { env: variables }) };
}

async function answersOf(name: string): Promise<Partial<Answers>> {
  const { readHome } = await import('@data-designer/config');
  const provider = readHome().providers.tools.find((one) => one.name === name);
  if (!provider) return {};
  const { providerType } = provider;
  if (provider.providerType !== 'stdio') return { providerType, endpoint: provider.endpoint, keyFrom: 'unchanged' };
  const { command, args, env } = provider;
  return { providerType, command, args, storedEnv: Object.keys(env) };
}
