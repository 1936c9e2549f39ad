import { TOOL_DEFAULTS } from '@data-designer/core';
import type { EntryFields } from '../save-entry.ts';
import type { Asker } from './asker.ts';
import { askMenu } from './entry-menu.ts';
import { type Form, nameQuestion, type Question } from './form.ts';
import { knownProviders, offeredTools, providersNamed } from './offered-tools.ts';
import { printFailure, requireText } from './prompts.ts';
import { withSpinner } from './spinner.ts';

interface Answers {
  readonly toolAlias: string;
  readonly providers: readonly string[];
  readonly allowsAll: boolean;
  readonly allowTools: readonly string[];
  readonly maxToolCallTurns: string;
  readonly timeoutSec: string;
}

/** The wizard that adds, changes and deletes tool configs of the home folder. */
export function askToolConfigs(): Promise<void> {
  return askMenu<Answers>({ file: 'toolConfigs', noun: 'tool config', form, answersOf });
}

const QUESTIONS: readonly Question<Answers>[] = [
  {
    label: 'Tool providers',
    ask: async (asker, { providers: before = [] }) => {
      const known = await knownProviders();
      const names = known.map(({ name }) => name);
      return { providers: await asker.checkbox('Tool providers', names, before) };
    },
    show: ({ providers = [] }) => providers.join(', '),
  },
  {
    label: 'All tools',
    ask: async (asker, { allowsAll = true }) => ({
      allowsAll: await asker.confirm('Allow all tools, including tools that the providers add later?', allowsAll),
    }),
    show: ({ allowsAll }) => (allowsAll ? 'yes' : 'no'),
  },
  {
    label: 'Allowed tools',
    isAsked: ({ allowsAll }) => allowsAll === false,
    ask: async (asker, answers) => ({ allowTools: await askAllowed(asker, answers) }),
    show: ({ allowTools = [] }) => allowTools.join(', '),
  },
  {
    label: 'Maximum turns',
    ask: async (asker, { maxToolCallTurns: before = String(TOOL_DEFAULTS.maxToolCallTurns) }) => ({
      maxToolCallTurns: await asker.text({ message: 'Maximum turns with tool calls', before, validate: checkTurns }),
    }),
    show: ({ maxToolCallTurns = '' }) => maxToolCallTurns,
  },
  {
    label: 'Time limit',
    ask: async (asker, { timeoutSec: before = String(TOOL_DEFAULTS.timeoutSec) }) => ({
      timeoutSec: await asker.text({ message: 'Time limit per call in seconds', before, validate: checkSeconds }),
    }),
    show: ({ timeoutSec = '' }) => timeoutSec,
  },
];

const checkTurns = (text: string): true | string => /^[1-9]\d{0,5}$/.test(text) || 'Enter a whole number, 1 or more.';
const checkSeconds = (text: string): true | string => Number(text) > 0 || 'Enter a number above 0.';

/** Offers the tools that the providers list; if one cannot be reached, names can be typed. */
async function askAllowed(
  asker: Asker,
  { providers = [], allowTools: before = [] }: Partial<Answers>,
): Promise<readonly string[]> {
  const offered = await listOffered(providers);
  if (offered) return asker.checkbox('Allowed tools', offered, before);
  const message = 'Allowed tools, separated by spaces';
  return (await asker.text({ message, before: before.join(' '), validate: requireText })).split(/\s+/);
}

/** The tools of providers; undefined if one cannot be reached. */
async function listOffered(names: readonly string[]): Promise<readonly string[] | undefined> {
  try {
    const providers = await providersNamed(names);
    const offered = await withSpinner(`Listing the tools of ${names.join(', ')} …`, () => offeredTools(providers));
    return [...offered.values()].flat();
  } catch (thrown) {
    printFailure(thrown);
    return undefined;
  }
}

function form(name: string | undefined, names: readonly string[]): Form<Answers> {
  const ofAlias = nameQuestion('toolAlias', { label: 'Alias', message: 'Tool alias (used in columns)', names });
  return {
    file: 'toolConfigs',
    questions: name === undefined ? [ofAlias, ...QUESTIONS] : QUESTIONS,
    changeOf: ({ toolAlias = '', ...answers }) =>
      name === undefined
        ? { kind: 'add', name: toolAlias, fields: fieldsOf(answers) }
        : { kind: 'update', name, fields: fieldsOf(answers) },
  };
}

function fieldsOf({ providers, allowsAll, allowTools, maxToolCallTurns, timeoutSec }: Partial<Answers>): EntryFields {
  return {
    providers,
    allowTools: allowsAll === false ? allowTools : undefined,
    maxToolCallTurns: Number(maxToolCallTurns),
    timeoutSec: Number(timeoutSec),
  };
}

async function answersOf(name: string): Promise<Partial<Answers>> {
  const { readHome } = await import('@data-designer/config');
  const config = readHome().toolConfigs.find(({ toolAlias }) => toolAlias === name);
  if (!config) return {};
  const { providers, allowTools, maxToolCallTurns, timeoutSec } = config;
  return {
    providers,
    allowsAll: allowTools === null,
    allowTools: allowTools ?? [],
    maxToolCallTurns: String(maxToolCallTurns),
    timeoutSec: String(timeoutSec ?? TOOL_DEFAULTS.timeoutSec),
  };
}
