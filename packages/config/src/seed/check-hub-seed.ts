import { type Finding, readSecret } from '@data-designer/core';
import type { SeedSource } from '../schemas/seed-config.ts';
import { TABLE_FORMATS, tableFormat } from './local-seed.ts';

type HubSource = Extract<SeedSource, { seedType: 'hf' }>;

/** What a config may make of this machine's secrets. */
export interface SecretPermissions {
  /** Names of environment variables that the user lets the config name, beside `HF_TOKEN` for the Hub itself. */
  readonly secrets: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const HUB = 'https://huggingface.co';
const HUB_TOKEN = 'HF_TOKEN';
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** What is wrong with a source on the Hub, before anything is asked of it: its path, its address and its token. */
export function checkHubSeed(source: HubSource, permissions: SecretPermissions): Finding[] {
  const address = addressOf(source.endpoint);
  const token = source.token === '' ? null : source.token;
  return [
    ...checkPath(source.path),
    ...(address ? [] : [badEndpoint(source.endpoint)]),
    ...(token === null ? [] : checkToken(token, address, permissions)),
  ];
}

function found(field: string, told: Omit<Finding, 'stage' | 'level' | 'field'>): Finding {
  return { stage: 'run', level: 'ERROR', field: ['source', field], ...told };
}

function checkPath(path: string): Finding[] {
  const steps = path.split('/');
  const whole = steps.length > 3 && steps.every((step) => step.trim() !== '' && step !== '.' && step !== '..');
  if (steps[0] !== 'datasets' || !whole) {
    const message = `'${path}' is no path of the Hub.`;
    const remedy = 'Write datasets/<user>/<name>/<file>; * stands for several files.';
    return [found('path', { type: 'seed_path_invalid', message, remedy })];
  }
  if (tableFormat(path)) return [];
  const remedy = `It must end in ${TABLE_FORMATS.map((format) => `.${format}`).join(', ')}.`;
  return [
    found('path', { type: 'seed_format_unknown', message: `'${path}' names no table that can be read.`, remedy }),
  ];
}

/** A plain http(s) address; undefined for other text, and for one that carries a user name, a query or a fragment. */
function addressOf(endpoint: string): URL | undefined {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '' ? url : undefined;
}

// The text is not repeated: it may hold a password.
function badEndpoint(endpoint: string): Finding {
  const message = endpoint.includes('@') ? 'it carries a user name or a password.' : 'it is no http(s) address.';
  return found('endpoint', { type: 'endpoint_invalid', message, remedy: `The Hub itself is ${HUB}.` });
}

/** A token may name only the Hub's own secret, and goes nowhere that others can read it. */
function checkToken(token: string, address: URL | undefined, permissions: SecretPermissions): Finding[] {
  const name = secretName(token, permissions.environment);
  const findings = name === undefined || permissions.secrets.includes(name) ? [] : checkName(name, address);
  if (address?.protocol !== 'http:' || LOOPBACK.test(address.hostname)) return findings;
  const message = `the token would go to ${address.origin} without encryption.`;
  return [...findings, found('endpoint', { type: 'endpoint_insecure', message, remedy: 'Use an https address.' })];
}

/** The environment variable that a token names, or that it would be taken for. */
function secretName(token: string, environment: SecretPermissions['environment']): string | undefined {
  const reference = readSecret(token);
  if (reference.from === 'environment') return reference.name;
  return /^[A-Z][A-Z0-9_]*$/.test(token) || Object.hasOwn(environment, token) ? token : undefined;
}

function checkName(name: string, address: URL | undefined): Finding[] {
  const allow = `If you trust the config, allow it with --allow-secret ${name}.`;
  if (name !== HUB_TOKEN) {
    const message = `it names the environment variable ${name}; a config may name only ${HUB_TOKEN}.`;
    return [found('token', { type: 'secret_refused', message, remedy: allow })];
  }
  if (address === undefined || address.origin === HUB) return [];
  const message = `your ${HUB_TOKEN} would go to ${address.origin}; it belongs to ${HUB}.`;
  return [found('endpoint', { type: 'secret_refused', message, remedy: allow })];
}
