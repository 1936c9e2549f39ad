import { posix, win32 } from 'node:path';
import { isMapping } from '@data-designer/config';
import { isSecretName, readSecret, secretsInAddress } from '@data-designer/core';
import { redactor } from '@data-designer/core/redact';

type Environment = Readonly<Record<string, string | undefined>>;

/** Tokens that services give a fixed beginning: Hugging Face, OpenAI, NVIDIA, GitHub, Slack and AWS. */
const TOKEN =
  /\b(?:hf_[A-Za-z0-9_]{16,}|sk-[\w-]{16,}|nvapi-[\w-]{16,}|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|xox[abeprs]-[\w-]{10,}|AKIA[0-9A-Z]{16})/g;

/** Parts of a config that are passed on to a server as they are, and may hold keys under the names of secrets. */
const PASSED_ON = /^(?:extra_body|extra_headers|headers)$/;

/** An absolute path as a whole text: with two steps or more, or with a drive. */
const ABSOLUTE = /^(?:file:\/\/\S+|~?(?:\/[^\s/{}]+){2,}\/?|[A-Za-z]:[\\/][^\n{}]*|\\\\[^\s{}]+)$/;

/**
 * A copy of a config for the public: without secrets, without folders of this machine. A path keeps its last step, and a
 * token that is not the name of a variable becomes null. Values of environment variables with the names of secrets,
 * passwords in addresses and texts that look like tokens become `[secret]`.
 */
export function sharedConfig(config: unknown, environment: Environment): unknown {
  const named = Object.entries(environment).flatMap(([name, value]) => (isSecretName(name) && value ? [value] : []));
  // Short values, such as "true", are words of ordinary texts.
  const known = [...named.filter(({ length }) => length >= 12), ...secretsIn(config, false)];
  return withoutPlaces(redactor(known)(withoutOwn(config, false)));
}

/** The secrets that a config holds itself. */
function secretsIn(value: unknown, isPassedOn: boolean): string[] {
  if (typeof value === 'string') return [...secretsInAddress(value)];
  if (Array.isArray(value)) return value.flatMap((item) => secretsIn(item, isPassedOn));
  if (!isMapping(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    if (isPassedOn && typeof part === 'string' && isSecretName(key) && !isReference(part)) return [part];
    return secretsIn(part, isPassedOn || PASSED_ON.test(key));
  });
}

/** The config with marks in place of its own secrets, however short they are. */
function withoutOwn(value: unknown, isPassedOn: boolean): unknown {
  if (typeof value === 'string') return withoutSecretsOfAddress(value);
  if (Array.isArray(value)) return value.map((item) => withoutOwn(item, isPassedOn));
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).map(([key, part]) => {
    const isSecret = isPassedOn && typeof part === 'string' && isSecretName(key) && !isReference(part);
    return [key, isSecret ? '[secret]' : withoutOwn(part, isPassedOn || PASSED_ON.test(key))] as const;
  });
  return Object.fromEntries(entries);
}

function withoutSecretsOfAddress(text: string): string {
  const secrets = secretsInAddress(text).filter((secret) => secret !== '');
  const written = secrets.flatMap((secret) => [secret, encodeURIComponent(secret.toWellFormed())]);
  return written.reduce((shown, secret) => shown.replaceAll(secret, '[secret]'), text);
}

function withoutPlaces(value: unknown): unknown {
  if (typeof value === 'string') return lastStep(value.replaceAll(TOKEN, '[secret]'));
  if (Array.isArray(value)) return value.map(withoutPlaces);
  if (!isMapping(value)) return value;
  const isSeed = typeof value['seed_type'] === 'string';
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, isSeed ? ofSeed(value, key, part) : withoutPlaces(part)]),
  );
}

/** A key of a seed's source: relative paths name folders of this machine too. */
function ofSeed(source: Readonly<Record<string, unknown>>, key: string, part: unknown): unknown {
  if (key === 'token' && typeof part === 'string') return isReference(part) ? part : null;
  if (key !== 'path' || typeof part !== 'string' || source['seed_type'] === 'hf') return withoutPlaces(part);
  return /^https?:/i.test(part) ? part : stepOf(part);
}

function lastStep(text: string): string {
  return ABSOLUTE.test(text) ? stepOf(text) : text;
}

function stepOf(path: string): string {
  const trimmed = path.replace(/[\\/]+$/, '');
  return /^[A-Za-z]:|\\/.test(trimmed) ? win32.basename(trimmed) : posix.basename(trimmed);
}

function isReference(text: string): boolean {
  return readSecret(text).from === 'environment' || /^[A-Z][A-Z0-9_]*$/.test(text);
}
