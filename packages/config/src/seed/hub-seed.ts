import { type Finding, readSecret } from '@data-designer/core';
import { z } from 'zod';
import { loadRemedies } from '../load-remedies.ts';
import { HUB_SCHEME, TABLE_FORMATS, tableFormat, tableOptions } from './local-seed.ts';
import { defineSeedKind, type SeedCheckOptions, sourceError } from './seed-kind.ts';

/** The address of the Hugging Face Hub. */
export const HUB = 'https://huggingface.co';
const HUB_TOKEN = 'HF_TOKEN';
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** A table of the Hugging Face Hub. */
export const hubSeed = defineSeedKind({
  schema: z.object({
    seedType: z.literal('hf').describe('A table from the Hugging Face Hub.'),
    path: z.string().describe('The files, as `datasets/<user>/<name>/<file>`; `*` in it stands for any text.'),
    token: z
      .string()
      .nullable()
      .default(null)
      .describe('The access token: `HF_TOKEN` for the environment variable of that name, or the token itself.'),
    endpoint: z.string().default(HUB).describe('Address of the Hub.'),
    ...tableOptions,
  }),
  transport: ['token', 'endpoint'],
  check: ({ path, token, endpoint }, options) => {
    const address = hubAddress(endpoint);
    return [
      ...checkPath(path),
      ...(address ? [] : [badEndpoint(endpoint)]),
      ...(token ? checkToken(token, address, options) : []),
    ];
  },
});

function checkPath(path: string): Finding[] {
  const steps = path.split('/');
  const whole = steps.length > 3 && steps.every((step) => step.trim() !== '' && step !== '.' && step !== '..');
  if (steps[0] !== 'datasets' || !whole) {
    const message = `'${path}' is not a path of a Hub file.`;
    const remedy = HUB_SCHEME.test(path)
      ? 'Leave out hf://; a path begins with datasets/.'
      : loadRemedies().hubPath(steps, (file) => tableFormat(file) !== undefined);
    return [sourceError('path', { type: 'seed_path_invalid', message, remedy })];
  }
  if (tableFormat(path)) return [];
  const message = `'${path}' is not a supported table file.`;
  const remedy = `Use a file that ends in ${TABLE_FORMATS.map((format) => `.${format}`).join(', ')}.`;
  return [sourceError('path', { type: 'seed_format_unknown', message, remedy })];
}

/** A plain http(s) address; undefined for other text, and for one that carries a user name, a query or a fragment. */
export function hubAddress(endpoint: string): URL | undefined {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '' ? url : undefined;
}

// The message omits the address: it may contain a password.
function badEndpoint(endpoint: string): Finding {
  const message = endpoint.includes('@')
    ? 'the endpoint contains a user name or a password.'
    : 'the endpoint is not an http(s) address.';
  return sourceError('endpoint', {
    type: 'endpoint_invalid',
    message,
    remedy: `Use a plain http(s) address; the address of the Hub is ${HUB}.`,
  });
}

/** Whether a token would be sent to this address over a network without encryption. */
export function isUnencrypted({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !LOOPBACK.test(hostname);
}

/** A token may name only the Hub's own secret, and is never sent unencrypted. */
function checkToken(
  token: string,
  address: URL | undefined,
  { secrets, environment = process.env }: SeedCheckOptions,
): Finding[] {
  const name = secretName(token, environment);
  const findings = name === undefined || secrets.includes(name) ? [] : checkName(name, address);
  if (!address || !isUnencrypted(address)) return findings;
  const message = `the token would be sent to ${address.origin} without encryption.`;
  return [
    ...findings,
    sourceError('endpoint', { type: 'endpoint_insecure', message, remedy: 'Use an https address.' }),
  ];
}

/** The environment variable that a token names, or looks like. */
function secretName(token: string, environment: NonNullable<SeedCheckOptions['environment']>): string | undefined {
  const reference = readSecret(token);
  if (reference.from === 'environment') return reference.name;
  return /^[A-Z][A-Z0-9_]*$/.test(token) || Object.hasOwn(environment, token) ? token : undefined;
}

function checkName(name: string, address: URL | undefined): Finding[] {
  const allow = `If you trust the config, pass --allow-secret ${name}.`;
  if (name !== HUB_TOKEN) {
    const message = `the token refers to the environment variable ${name}, but a config may use only ${HUB_TOKEN}.`;
    return [sourceError('token', { type: 'secret_refused', message, remedy: allow })];
  }
  if (address === undefined || address.origin === HUB) return [];
  const message = `your ${HUB_TOKEN} would be sent to ${address.origin}, but it is meant for ${HUB}.`;
  return [sourceError('endpoint', { type: 'secret_refused', message, remedy: allow })];
}
