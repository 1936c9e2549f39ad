import { sniffMediaType } from '@data-designer/columns';
import { Float, parseJson, stringifyJson } from '@data-designer/core';
import type { StateChanges } from '@data-designer/environments/compare-states';
import { type ShownState, statesIn } from '@data-designer/environments/state-history';
import { formatCount } from '@data-designer/printing';
import { type Turn, turnsOf } from './conversation-turns.ts';
import type { LaidOutField } from './record-layout.ts';

/** A part of a shown record. */
export type Section = { readonly title: string } & (
  | { readonly kind: 'values'; readonly entries: readonly Entry[] }
  | { readonly kind: 'conversation'; readonly turns: readonly Turn[]; readonly summary: string }
  | { readonly kind: 'pictures'; readonly pictures: readonly Entry[] }
  | { readonly kind: 'code'; readonly language: string; readonly code: string }
  | { readonly kind: 'verdict'; readonly isValid: boolean | null; readonly entries: readonly Entry[] }
  | { readonly kind: 'scores'; readonly scores: readonly Score[] }
);

/** A name with its value as text. */
export interface Entry {
  readonly name: string;
  readonly text: string;
}

/** A judge's score, with its reasoning. */
export interface Score {
  readonly name: string;
  readonly score: string;
  readonly reasoning: string;
}

/** The options to show a record. */
export interface SectionOptions {
  /** Hides the columns of seed rows. */
  readonly hideSeedColumns?: boolean;
  /** Shows the traces; default true. */
  readonly includeTraces?: boolean;
}

type Row = Readonly<Record<string, unknown>>;

/** A record as sections: plain values first, then conversations, pictures, code, verdicts and scores. */
export function recordSections(row: Row, layout: readonly LaidOutField[], options: SectionOptions = {}): Section[] {
  const { hideSeedColumns = false, includeTraces = true } = options;
  const of = (as: LaidOutField['shown']['as']): readonly LaidOutField[] =>
    layout.filter(({ shown }) => shown.as === as);
  const states = comparedStates(row, layout);
  const isCompared = (field: LaidOutField) =>
    field.states?.every(({ environment }) => states.has(environment)) ?? false;
  return [
    ...(hideSeedColumns ? [] : valuesOf('Seed columns', row, of('seed'))),
    ...valuesOf(
      'Generated columns',
      row,
      of('value').filter((field) => !isCompared(field)),
    ),
    ...[...states].map(([environment, own]) => statesSection(environment, own)),
    ...(includeTraces ? of('conversation').flatMap(({ name }) => conversation(name, row[name])) : []),
    ...picturesOf(row, of('pictures')),
    ...of('code').flatMap((field) => code(field, row[field.name])),
    ...of('verdict').flatMap(({ name }) => verdicts(name, row[name])),
    ...of('scores').map(({ name }) => scores(name, row[name])),
  ];
}

/** The output of a processor for a record, as a section. */
export function processedSection(processor: string, row: Row): Section {
  return { kind: 'values', title: `Processor output: ${processor}`, entries: entriesOf(row) };
}

function valuesOf(title: string, row: Row, fields: readonly LaidOutField[]): Section[] {
  if (fields.length === 0) return [];
  return [{ kind: 'values', title, entries: fields.map(({ name }) => ({ name, text: textOf(row[name]) })) }];
}

/** The states of environments that more than one column left, in the order in which they were left. */
function comparedStates(row: Row, layout: readonly LaidOutField[]): ReadonlyMap<string, readonly ShownState[]> {
  const states = statesIn(
    row,
    layout.flatMap((field) => field.states ?? []),
  ).toSorted((a, b) => a.earlier.length - b.earlier.length);
  const byEnvironment = Map.groupBy(states, ({ environment }) => environment);
  return new Map([...byEnvironment].filter(([, own]) => own.length > 1));
}

/** What changed from state to state, and the last state whole. */
function statesSection(environment: string, states: readonly ShownState[]): Section {
  const changes = states.flatMap(({ field, since, changed }) =>
    changed ? [{ name: `${since} -> ${field}`, text: changesText(changed) }] : [],
  );
  const last = states.slice(-1).map(({ field, after }) => ({ name: field, text: textOf(after) }));
  return { kind: 'values', title: `State of ${environment}`, entries: [...changes, ...last] };
}

function changesText({ changes, isCut }: StateChanges): string {
  if (changes.length === 0) return 'no change';
  const lines = changes.map(({ path, before, after }) => {
    const change = before === null ? `added ${after}` : after === null ? `removed ${before}` : `${before} -> ${after}`;
    return path === '' ? change : `${path}: ${change}`;
  });
  return [...lines, ...(isCut ? ['… and more changes'] : [])].join('\n');
}

function conversation(name: string, value: unknown): Section[] {
  if (!Array.isArray(value)) return [];
  return [{ kind: 'conversation', title: name, ...turnsOf(value as Parameters<typeof turnsOf>[0]) }];
}

function picturesOf(row: Row, fields: readonly LaidOutField[]): Section[] {
  const pictures = fields.flatMap(({ name }) => {
    const value = row[name];
    const sources: readonly unknown[] = Array.isArray(value) ? value : [];
    return sources.map((source, at) => ({
      name: sources.length > 1 ? `${name} ${at + 1}` : name,
      text: String(source),
    }));
  });
  return pictures.length === 0 ? [] : [{ kind: 'pictures', title: 'Pictures', pictures }];
}

function code({ name, shown }: LaidOutField, value: unknown): Section[] {
  if (typeof value !== 'string') return [{ kind: 'values', title: name, entries: [{ name, text: textOf(value) }] }];
  return [{ kind: 'code', title: name, language: shown.as === 'code' ? shown.language : '', code: value }];
}

/** A validation of several targets has one verdict per target. */
function verdicts(name: string, value: unknown): Section[] {
  const found = decoded(value);
  if (!isMapping(found))
    return [{ kind: 'verdict', title: name, isValid: null, entries: [{ name, text: textOf(found) }] }];
  const parts = Object.entries(found);
  const isNested = !Object.hasOwn(found, 'is_valid') && parts.length > 0 && parts.every(([, part]) => isMapping(part));
  if (isNested) return parts.flatMap(([target, part]) => verdicts(`${name}: ${target}`, part));
  const { is_valid: isValid, ...rest } = found;
  const first = isValid === undefined ? [] : [{ name: 'is_valid', text: textOf(isValid) }];
  const verdict = typeof isValid === 'boolean' ? isValid : null;
  return [{ kind: 'verdict', title: name, isValid: verdict, entries: [...first, ...entriesOf(rest)] }];
}

function scores(name: string, value: unknown): Section {
  const given = decoded(value);
  if (!isMapping(given))
    return { kind: 'scores', title: name, scores: [{ name, score: textOf(given), reasoning: '' }] };
  return {
    kind: 'scores',
    title: name,
    scores: Object.entries(given).map(([score, judged]) => {
      const { score: points, reasoning } = isMapping(judged) ? judged : { score: judged, reasoning: '' };
      return { name: score, score: textOf(points), reasoning: textOf(reasoning ?? '') };
    }),
  };
}

function entriesOf(row: Row): Entry[] {
  return Object.entries(row).map(([name, value]) => ({ name, text: textOf(value) }));
}

/** A value as readable text: nested data and JSON text are indented, long vectors are cut. */
function textOf(value: unknown): string {
  const found = decoded(value);
  if (typeof found === 'string') return describedMedia(found);
  if (found instanceof Date) return found.toISOString();
  if (found instanceof Float) return stringifyJson(found);
  if (typeof found !== 'object' || found === null) return String(found);
  return stringifyJson(shortened(found), 2);
}

/** The numbers shown of a vector. */
const SHOWN_NUMBERS = 2;
/** A list of more numbers is a vector. */
const MAX_NUMBERS = 8;

/** Shorter text is shown, whatever it is. */
const MIN_MEDIA_CHARACTERS = 64;
const MODALITIES = ['image', 'audio', 'video'] as const;

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) {
    const isVector = value.length > MAX_NUMBERS && value.every((one) => typeof one === 'number');
    if (isVector) return [...value.slice(0, SHOWN_NUMBERS), `… ${value.length} numbers`];
    return value.map(shortened);
  }
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string') return describedMedia(value);
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shortened(part)]));
}

/** Base64 text of a picture, sound or film by its type and length; other text as it is. */
function describedMedia(text: string): string {
  if (text.length < MIN_MEDIA_CHARACTERS || !/^[A-Za-z0-9+/]{64}/.test(text)) return text;
  const type = MODALITIES.map((modality) => sniffMediaType(modality, text)).find((found) => found !== undefined);
  return type === undefined ? text : `${type} in Base64, ${formatCount(text.length)} characters`;
}

/** Parses JSON text of an object or a list; other values stay as they are. */
function decoded(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date) &&
    !(value instanceof Float)
  );
}
