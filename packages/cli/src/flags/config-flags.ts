import { InvalidArgumentError } from 'commander';
import { type Fields, isFields, isWebAddress, tryParse } from '@data-designer/core';

/** Collects repeatable `KEY=VALUE` options as a mapping. */
export function pairs(text: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new InvalidArgumentError('It must be written as KEY=VALUE.');
  return { ...before, [key]: value };
}

/** Parses a JSON object. */
export function jsonObject(text: string): Fields {
  const value: unknown = tryParse(text, JSON.parse);
  if (isFields(value)) return value;
  throw new InvalidArgumentError('It must be a JSON object, such as {"top_k": 20}.');
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
