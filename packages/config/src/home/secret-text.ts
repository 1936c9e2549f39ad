import { stringifyJson } from '@data-designer/core';
import type { MCPProvider, ModelProvider } from '../schemas/providers.ts';
import { isMapping } from '../spelling.ts';

const VARIABLE = /^[A-Z_][A-Z0-9_]*$/;
const REFERENCE = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/;

/** Names of headers, variables and parameters whose values are to be kept secret. */
const SECRET_NAME = /key|token|secret|passw|credential|auth/i;

/** Shorter keys would be half told by their last characters. */
const MIN_SHOWN_LENGTH = 8;

/** Whether a key is written as the place it comes from, `NAME` or `${NAME}`, and not as itself. */
function namesVariable(key: string): boolean {
  // Without an underscore it may as well be a key of capitals and digits.
  return (VARIABLE.test(key) && key.includes('_')) || REFERENCE.test(key);
}

/** Data of no declared shape as it may be shown: values under telling names are hidden. */
export function showData(value: unknown): string {
  return stringifyJson(withoutSecrets(value));
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).map(([key, part]) => {
    const hidden = typeof part === 'string' && SECRET_NAME.test(key);
    return [key, hidden ? showKey(part) : withoutSecrets(part)];
  });
  return Object.fromEntries(entries);
}

/** A key as it may be shown: the name of its variable, or the last four characters of what it is. */
export function showKey(key: string | null): string {
  if (!key) return '(not set)';
  if (namesVariable(key)) return key;
  return key.length < MIN_SHOWN_LENGTH ? '***' : `***${key.slice(-4)}`;
}

/** An address as it may be shown: a password and the values of its query may be keys. */
export function showEndpoint(endpoint: string): string {
  return endpoint.replace(/\/\/[^/?#]*@/, '//***@').replace(/([?&][^=&#]*=)[^&#]*/g, '$1***');
}

/** A command line as it may be shown: what follows an option such as `--api-key` is hidden. */
export function showCommand(command: string, args: readonly string[]): string {
  const shown = args.map((argument, index) => {
    const [option = '', value] = argument.split(/=(.*)/s);
    if (value !== undefined && SECRET_NAME.test(option)) return `${option}=${showKey(value)}`;
    const before = args[index - 1] ?? '';
    if (before.startsWith('-') && !before.includes('=') && SECRET_NAME.test(before)) return showKey(argument);
    // A header, as `Authorization: Bearer …`: only its name is shown, whatever it is.
    const header = /^([\w-]+):\s*(\S.*)$/s.exec(argument);
    if (header && !argument.includes('://')) return `${header[1]}: ***`;
    return showEndpoint(argument);
  });
  return [command, ...shown].join(' ');
}

/** Variables of a child process as they may be shown. */
export function showVariables(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => `${name}=${showKey(value)}`)
    .join(', ');
}

/** Whether a provider's declaration holds a key itself, and not the name of a variable that has it. */
export function holdsKey(provider: ModelProvider | MCPProvider): boolean {
  if ('command' in provider) {
    const { command, args, env } = provider;
    return hasSecret(env) || showCommand(command, args) !== [command, ...args].join(' ');
  }
  const headers = 'extraHeaders' in provider ? (provider.extraHeaders ?? {}) : {};
  const { apiKey, endpoint } = provider;
  return isKey(apiKey) || hasSecret(headers) || showEndpoint(endpoint) !== endpoint;
}

function hasSecret(values: Readonly<Record<string, string>>): boolean {
  return Object.entries(values).some(([name, value]) => SECRET_NAME.test(name) && isKey(value));
}

function isKey(value: string | null): boolean {
  return Boolean(value) && !namesVariable(value ?? '');
}
