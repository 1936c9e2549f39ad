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

/** Resolves a secret against an environment; throws `secret/missing` when `${NAME}` is not set. `owner` names its user. */
export function resolveSecret(
  reference: SecretReference,
  environment: Readonly<Record<string, string | undefined>>,
  owner: string,
): string {
  const held = (name: string) => (Object.hasOwn(environment, name) ? environment[name] : undefined);
  if (reference.from === 'environment-or-literal') return held(reference.text) ?? reference.text;
  const value = held(reference.name);
  if (value === undefined) throw new DataDesignerError('secret/missing', { name: reference.name, owner });
  return value;
}

/** A function that blots known secret values out of text that leaves the I/O thread. */
export function redactor(secrets: Iterable<string>): (text: string) => string {
  const known = [...secrets].filter((secret) => secret.length >= 4).toSorted((a, b) => b.length - a.length);
  return (text) => known.reduce((clean, secret) => clean.replaceAll(secret, '[secret]'), text);
}
