import { MEASURE_KINDS, type MeasureKind } from '../../../api/compare.ts';
import type { RequestOf } from '../../../api/requests.ts';

/** Which rows of two datasets are shown. */
export type RowChoice = NonNullable<RequestOf<'compare'>['rows']>;

/** Reads which rows an address names: `all`, `column:NAME`, `score:fell:NAME`; those with a difference without a name. */
export function parseRowChoice(text: string | null): RowChoice {
  const [kind = '', rest = ''] = (text ?? '').split(/:(.*)/s);
  if (text === 'all') return { of: 'all' };
  if (kind === 'column') return { of: 'column', name: rest };
  const [direction, name = ''] = rest.split(/:(.*)/s);
  const measure = MEASURE_KINDS.find((one) => one === kind);
  if (measure === undefined || (direction !== 'rose' && direction !== 'fell')) return { of: 'changed' };
  return { of: 'measure', kind: measure, direction, name };
}

/** Writes it; undefined for those with a difference. */
export function formatRowChoice(choice: RowChoice): string | undefined {
  switch (choice.of) {
    case 'all':
      return 'all';
    case 'changed':
      return undefined;
    case 'column':
      return `column:${choice.name}`;
    case 'measure':
      return `${choice.kind}:${choice.direction}:${choice.name}`;
  }
}

/** The rows in words; undefined for all, and for those with a difference. */
export function describeRowChoice(choice: RowChoice): string | undefined {
  if (choice.of === 'column') return `${choice.name} differs`;
  return choice.of === 'measure' ? `${measureName(choice)} ${choice.direction}` : undefined;
}

const NAMES: Readonly<Record<MeasureKind, string>> = {
  score: '',
  number: '',
  characters: 'characters of ',
  'tokens-read': 'tokens read for ',
  'tokens-written': 'tokens written for ',
  cost: 'cost of ',
};

/** The name of a measure for a reader. */
export function measureName({ kind, name }: { readonly kind: MeasureKind; readonly name: string }): string {
  return `${NAMES[kind]}${name}`;
}
