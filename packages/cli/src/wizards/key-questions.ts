import { homeFolder, looksLikeKey } from '@data-designer/config';
import { nearest } from '@data-designer/core';
import { loadEnvironmentFile, ONLY_KEYS } from '../environment-file.ts';
import { requireText } from './prompts.ts';
import type { Question } from './form.ts';

/** The answers about an API key. */
export interface KeyAnswers {
  readonly keyFrom: 'variable' | 'pasted' | 'none' | 'unchanged';
  /** The name of the variable. */
  readonly variable: string;
  readonly pastedKey: string;
}

/** The questions about the API key of a provider; `hasKey` if it has one already. */
export function keyQuestions(hasKey: boolean): readonly Question<KeyAnswers>[] {
  const unchanged = { value: 'unchanged', name: 'Keep the key as it is' } as const;
  return [
    {
      label: 'API key',
      ask: async (asker, { keyFrom }) => ({
        keyFrom: await asker.select<KeyAnswers['keyFrom']>(
          'Where is its API key?',
          [
            ...(hasKey ? [unchanged] : []),
            { value: 'variable', name: 'In an environment variable, or in .env' },
            { value: 'pasted', name: `I paste it (stored in ${homeFolder().path}, readable only by you)` },
            { value: 'none', name: 'It needs none' },
          ],
          { before: keyFrom },
        ),
      }),
      show: ({ keyFrom }) => (keyFrom === 'variable' ? 'in an environment variable' : (keyFrom ?? '')),
    },
    {
      label: 'Environment variable',
      isAsked: ({ keyFrom }) => keyFrom === 'variable',
      ask: async (asker, { variable }) => ({
        variable: withoutBraces(
          await asker.text({ message: 'Name of the environment variable', before: variable, validate: checkVariable }),
        ),
      }),
      show: ({ variable = '' }) => variable,
    },
    {
      label: 'Key',
      isAsked: ({ keyFrom }) => keyFrom === 'pasted',
      ask: async (asker, { pastedKey }) => ({
        pastedKey: await asker.text({ message: 'API key', before: pastedKey, validate: requireText, isSecret: true }),
      }),
      show: ({ pastedKey = '' }) => '*'.repeat(pastedKey.length),
    },
  ];
}

/** A name that always stands for a variable, also in the Python tool. */
const KEY_NAME = /^[A-Z][A-Z0-9_]*_(?:KEY|TOKEN|SECRET)$/;

/** The field of a provider for the answers; no field if the key stays as it is. */
export function apiKeyField({ keyFrom, variable = '', pastedKey }: Partial<KeyAnswers>): {
  readonly apiKey?: string | undefined;
} {
  if (keyFrom === 'unchanged') return {};
  if (keyFrom === 'variable') return { apiKey: KEY_NAME.test(variable) ? variable : `\${${variable}}` };
  return { apiKey: keyFrom === 'pasted' ? pastedKey : undefined };
}

/** `${NAME}` as `NAME`. */
function withoutBraces(text: string): string {
  return /^\$\{(.*)\}$/.exec(text)?.[1] ?? text;
}

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Validates the name of a variable that is set, in the environment or in `.env`, which is read again. */
export function checkVariable(text: string): true | string {
  const name = withoutBraces(text);
  if (name === '') return 'Enter the name of a variable.';
  const { leftOut } = loadEnvironmentFile();
  if (process.env[name]) return true;
  if (looksLikeKey(name)) {
    return 'This looks like a key, not like the name of a variable. To paste a key, go back with Esc.';
  }
  if (!VARIABLE_NAME.test(name)) return `'${name}' is not a name of a variable: use letters, digits and underscores.`;
  if (leftOut.includes(name)) {
    return `${name} is set in .env, ${ONLY_KEYS}.`;
  }
  const near = nearest(name, Object.keys(process.env));
  const hint =
    near === undefined ? 'Write it to .env and press Enter again, or enter another name.' : `Did you mean ${near}?`;
  return `${name} is not set, neither in the environment nor in .env. ${hint}`;
}

/** Validates an environment variable of a program, `KEY=VALUE`; each `${NAME}` in the value must be set. */
export function checkPair(text: string): true | string {
  const [, key = '', value] = /^([^=]*)=(.*)$/s.exec(text) ?? [undefined, text];
  if (looksLikeKey(key)) return 'This looks like a key without a name. Write it as KEY=VALUE.';
  if (!VARIABLE_NAME.test(key)) return `'${key}' is not a name of a variable: use letters, digits and underscores.`;
  if (value === undefined) {
    const own = process.env[key] ? `, or as ${key}=\${${key}} to pass your own ${key}` : '';
    return `'${key}' has no value. Write it as ${key}=VALUE${own}.`;
  }
  const references = [...value.matchAll(/\$\{([^}]*)\}/g)].map(([, name = '']) => checkVariable(name));
  return references.find((verdict) => verdict !== true) ?? true;
}
