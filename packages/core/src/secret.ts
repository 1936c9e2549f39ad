import { DataDesignerError } from './errors.ts';

/** Where a secret comes from. Plans and files hold the written form; only the I/O thread resolves it. */
export type SecretReference =
  | { readonly from: 'environment'; readonly name: string }
  | { readonly from: 'environment-or-literal'; readonly text: string };

const VARIABLE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

/** Reads the written form of a secret: `${NAME}` must be set; other text is a variable's name if one is set, else itself. */
export function readSecret(text: string): SecretReference {
  const name = VARIABLE.exec(text)?.[1];
  return name === undefined ? { from: 'environment-or-literal', text } : { from: 'environment', name };
}

const REFERENCES = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The variables that a text names as `${NAME}`, in order. */
export function variablesIn(text: string): readonly string[] {
  return Array.from(text.matchAll(REFERENCES), ([, name = '']) => name);
}

/** A text with the value of each `${NAME}` in it. */
export function fillVariables(text: string, valueOf: (reference: string) => string): string {
  return text.replace(REFERENCES, (reference) => valueOf(reference));
}

/** Resolves a secret against an environment; throws `secret/missing` when `${NAME}` is not set. `owner` names its user. */
export function resolveSecret(
  reference: SecretReference,
  environment: Readonly<Record<string, string | undefined>>,
  owner: string,
): string {
  const valueOf = (name: string) => (Object.hasOwn(environment, name) ? environment[name] : undefined);
  if (reference.from === 'environment-or-literal') return valueOf(reference.text) ?? reference.text;
  const value = valueOf(reference.name);
  if (value === undefined) throw new DataDesignerError('secret/missing', { name: reference.name, owner });
  return value;
}

/** Names of headers and query parameters that hold a secret. */
const SECRET_NAME = /key|token|secret|password|credential|auth|cookie|signature/i;

/** Whether the name of a header, an environment variable or a query parameter suggests a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

const SCHEME = /^(\S+) +(\S.*)$/s;

/** A secret header value and the parts that a server may echo alone: the credentials, decoded for Basic. */
export function partsOfSecret(value: string): readonly string[] {
  const [, scheme = '', credentials] = SCHEME.exec(value) ?? [];
  if (credentials === undefined) return [value];
  if (scheme.toLowerCase() !== 'basic') return [value, credentials];
  const decoded = Buffer.from(credentials, 'base64').toString('utf8');
  return [value, credentials, decoded, decoded.slice(decoded.indexOf(':') + 1)];
}

/** The secrets in an address: its password, or its user name where it has none, and parameters with a secret's name. */
export function secretsInAddress(address: string): readonly string[] {
  if (!URL.canParse(address)) return [];
  const { username, password, searchParams } = new URL(address);
  const named = [...searchParams].flatMap(([name, value]) => (isSecretName(name) ? [value] : []));
  return [...named, decodedPart(password === '' ? username : password)];
}

/** A part of an address may hold a percent sign that encodes nothing. */
function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
