import { type Command, InvalidArgumentError } from 'commander';
import { isWebAddress } from '@data-designer/core';

/** What every command that changes the home folder takes. */
export interface ChangeFlags {
  readonly json: boolean;
  /** Whether providers are connected before anything is saved. */
  readonly connect: boolean;
}

/** Adds the options that every command has that adds or changes an entry. */
export function withChangeFlags(command: Command): Command {
  return command
    .option('--no-connect', 'save without connecting to the provider first')
    .option('--json', 'print one JSON object instead of text', false);
}

/** Collects the values of an option that may be repeated. */
export function repeated(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Collects `KEY=VALUE` options as a mapping. */
export function pairs(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new InvalidArgumentError('It must be written as KEY=VALUE.');
  return { ...before, [key]: value };
}

/** Reads a number above 0. */
export function positive(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a number above 0.');
}

const NO_ADDRESS = 'It must begin with http:// or https://.';

/** What is wrong with a text as the address of a server; true where nothing is. */
export function isAddress(text: string): true | string {
  return isWebAddress(text) || NO_ADDRESS;
}

/** Reads the address of a server. */
export function address(text: string): string {
  if (isWebAddress(text)) return text;
  throw new InvalidArgumentError(NO_ADDRESS);
}

/** Fields that were given, without those that were not. */
export function onlyGiven(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Fields to be taken out, by the names that their options have; ends the command for a name that is none of them. */
export function cleared(
  command: Command,
  names: readonly string[] | undefined,
  fields: Readonly<Record<string, string>>,
): Readonly<Record<string, undefined>> {
  const unknown = names?.find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) command.error(`error: --clear ${unknown}: it may be ${Object.keys(fields).join(', ')}`);
  return Object.fromEntries((names ?? []).map((name) => [fields[name], undefined]));
}
