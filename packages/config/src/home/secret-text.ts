import { readSecret, stringifyJson } from '@data-designer/core';
import type { MCPProvider, ModelProvider } from '../schemas/providers.ts';
import { isMapping } from '../spelling.ts';

const VARIABLE = /^[A-Z_][A-Z0-9_]*$/;

/** A word in the name of a variable; a key has longer ones, or such with many digits. */
const WORD = /^[A-Z]{0,20}\d{0,4}[A-Z]{0,3}$/;

/** Names of headers, variables and parameters with secret values. */
const SECRET_NAME = /key|token|secret|passw|credential|auth/i;

/** The last characters would reveal half of a shorter key. */
const MIN_SHOWN_LENGTH = 8;

/** Whether a key is written as the name of its variable, `NAME` or `${NAME}`. */
export function namesVariable(key: string): boolean {
  // Without an underscore it may be a key of capitals and digits.
  const isName = VARIABLE.test(key) && key.includes('_') && key.split('_').every((word) => WORD.test(word));
  return isName || readSecret(key).from === 'environment';
}

/** Beginnings of keys of well-known services. */
const KEY_PREFIX = /^(?:sk|pk|rk|hf|gsk|xai|nvapi|ghp|glpat|fw|r8|pplx|AIza|AKIA)[-_A-Za-z0-9]{12}/;

/** Whether a text is more likely a key than the name of a variable: it begins as keys do, or is long and mixed. */
export function looksLikeKey(text: string): boolean {
  const isMixed = /[a-z]/.test(text) && /[A-Z0-9]/.test(text);
  return KEY_PREFIX.test(text) || (text.length >= 20 && (isMixed || /^[0-9a-fA-F]+$/.test(text)));
}

/** Data of no declared type for display: values under secret names are hidden. */
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

/** A key for display: the name of its variable, or its last four characters. */
export function showKey(key: string | null): string {
  if (!key) return '(not set)';
  if (namesVariable(key)) return key;
  return key.length < MIN_SHOWN_LENGTH ? '***' : `***${key.slice(-4)}`;
}

/** An address for display, without password and query values, which may be keys. */
export function showEndpoint(endpoint: string): string {
  return endpoint.replace(/\/\/[^/?#]*@/, '//***@').replace(/([?&][^=&#]*=)[^&#]*/g, '$1***');
}

/** A command line for display: the values of options such as `--api-key` are hidden. */
export function showCommand(command: string, args: readonly string[]): string {
  const shown = args.map((argument, index) => {
    const [option = '', value] = argument.split(/=(.*)/s);
    if (value !== undefined && SECRET_NAME.test(option)) return `${option}=${showKey(value)}`;
    const before = args[index - 1] ?? '';
    if (before.startsWith('-') && !before.includes('=') && SECRET_NAME.test(before)) return showKey(argument);
    // Of a header such as `Authorization: Bearer …` only the name is shown.
    const header = /^([\w-]+):\s*(\S.*)$/s.exec(argument);
    if (header && !argument.includes('://')) return `${header[1]}: ***`;
    return showEndpoint(argument);
  });
  return [command, ...shown].join(' ');
}

/** The variables of a child process for display. */
export function showVariables(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => `${name}=${showKey(value)}`)
    .join(', ');
}

/** Whether a provider's declaration contains a key itself rather than the name of its variable. */
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
