import { type Command, InvalidArgumentError } from 'commander';
import { isWebAddress } from '@data-designer/core';

/** The options of every command that changes the home folder. */
export interface ChangeFlags {
  readonly json: boolean;
  /** Whether to connect to the providers before saving. */
  readonly connect: boolean;
}

/** Adds the options of every command that adds or changes an entry. */
export function withChangeFlags(command: Command): Command {
  return command
    .option('--no-connect', 'save without connecting to the provider first')
    .option('--json', 'print one JSON object instead of text', false);
}

/** Collects the values of a repeatable option. */
export function repeated(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Collects repeatable `KEY=VALUE` options as a mapping. */
export function pairs(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new InvalidArgumentError('It must be written as KEY=VALUE.');
  return { ...before, [key]: value };
}

const NO_ADDRESS = 'It must start with http:// or https://.';

/** Validates the address of a server: true, or what is wrong. */
export function checkAddress(text: string): true | string {
  return isWebAddress(text) || NO_ADDRESS;
}

/** Parses the address of a server. */
export function address(text: string): string {
  if (isWebAddress(text)) return text;
  throw new InvalidArgumentError(NO_ADDRESS);
}

/** The fields that are defined. */
export function onlyGiven(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The fields that `--clear` removes, as undefined; ends the command for an unknown name. */
export function cleared(
  command: Command,
  names: readonly string[] | undefined,
  fields: Readonly<Record<string, string>>,
): Readonly<Record<string, undefined>> {
  const unknown = names?.find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) command.error(`error: --clear ${unknown}: use one of ${Object.keys(fields).join(', ')}`);
  return Object.fromEntries((names ?? []).map((name) => [fields[name], undefined]));
}
