import { type Finding, knownNames, Float } from '@data-designer/core';
import { runFinding } from '../../run-finding.ts';
import type { Distribution } from './distribution.ts';
import { distributionNames, distributionOf, locationAndScale } from './distributions.ts';
import { unsupported } from './unsupported.ts';

/** A distribution by scipy's name, with scipy's parameter names. */
export interface DeclaredDistribution {
  readonly distName: string;
  readonly distParams: Readonly<Record<string, unknown>>;
}

/** Finds an unknown or unsupported distribution, and unknown, missing or invalid parameters. */
export function checkDistribution({ distName, distParams }: DeclaredDistribution): readonly Finding[] {
  const distribution = distributionOf(distName);
  if (distribution === undefined) {
    const message = `there is no distribution '${distName}'.`;
    const unknown = { message, remedy: knownNames(distName, distributionNames()) };
    return [runFinding(['distName'], unsupported(distName) ?? unknown)];
  }
  const named = checkNames(distribution, { distName, distParams });
  const valued = checkValues(distribution, distParams);
  if (named.length + valued.length > 0) return [...named, ...valued];
  return checkTogether(distribution, distParams);
}

function checkNames(distribution: Distribution, { distName, distParams }: DeclaredDistribution): Finding[] {
  const required = Object.keys(distribution.shapes);
  const known = [...required, ...Object.keys(locationAndScale(distribution))];
  const unknown = Object.keys(distParams).filter((name) => !known.includes(name));
  const missing = required.filter((name) => !Object.hasOwn(distParams, name));
  return [
    ...unknown.map((name) => {
      const message = `the distribution '${distName}' has no parameter '${name}'.`;
      return runFinding(['distParams', name], { message, remedy: knownNames(name, known) });
    }),
    ...missing.map((name) => {
      const message = `the distribution '${distName}' needs the parameter '${name}'.`;
      return runFinding(['distParams'], { message, remedy: 'Add the parameter.' });
    }),
  ];
}

function checkValues(distribution: Distribution, distParams: DeclaredDistribution['distParams']): Finding[] {
  const rules = Object.entries({ ...distribution.shapes, ...locationAndScale(distribution) });
  return rules.flatMap(([name, { says, holds }]) => {
    if (!Object.hasOwn(distParams, name)) return [];
    const value = numberOf(distParams[name]);
    if (value !== undefined && holds(value)) return [];
    const message = value === undefined ? 'the value must be a number.' : `the value must be ${says}, but is ${value}.`;
    return [runFinding(['distParams', name], { message, remedy: 'Correct the value.' })];
  });
}

function checkTogether({ together }: Distribution, distParams: DeclaredDistribution['distParams']): Finding[] {
  const numbers = Object.fromEntries(Object.entries(distParams).map(([name, value]) => [name, Number(value)]));
  if (!together || together.holds(numbers)) return [];
  return [runFinding(['distParams'], { message: `${together.says}.`, remedy: 'Correct one of the values.' })];
}

/** A number as scipy reads it, booleans included; undefined for text, lists and the like. */
export function numberOf(value: unknown): number | undefined {
  if (value instanceof Float) return value.value;
  return ['number', 'bigint', 'boolean'].includes(typeof value) ? Number(value) : undefined;
}
