import { formatCount, formatFineShare } from '@data-designer/printing';
import type { ExportedTraining } from '@data-designer/training/options';

/** The parts of an export of training data, and the shares that were asked for. */
export interface ExportedParts extends Pick<
  ExportedTraining,
  'files' | 'examples' | 'prompts' | 'sharedPrompts' | 'nearestSplit'
> {
  readonly split: Readonly<Record<string, number>>;
  readonly splitBy: string | undefined;
  /** The word for examples. */
  readonly noun: string;
}

/** A part whose share differs by more than this part of the share asked for is told of. */
const MOST_OFF = 0.5;

/** How many examples each part has: `train: 9 of 16 examples (56.3 %), test: 7 (43.8 %)`. */
export function describeParts({ files, examples: count, split, noun }: ExportedParts): string {
  const parts = Object.keys(split).map((part, index) => {
    const made = madeIn(files, part);
    const of = index === 0 ? ` of ${formatCount(count)} ${noun}` : '';
    return `${part}: ${formatCount(made)}${of} (${formatFineShare(count === 0 ? 0 : made / count)})`;
  });
  return parts.join(', ');
}

/** Prompts that are in several parts, and parts that are empty or much larger or smaller than their share. */
export function unevenParts(parts: ExportedParts): readonly string[] {
  const { files, examples: count, prompts = 0, sharedPrompts = 0, nearestSplit, split, splitBy, noun } = parts;
  const said: string[] = [];
  if (sharedPrompts > 0) {
    const remedy =
      splitBy === undefined
        ? 'Export one column with --column, so that its prompts alone choose the part'
        : 'Leave out --split-by to keep equal prompts in one part';
    const are = sharedPrompts === 1 ? 'is' : 'are';
    said.push(`${sharedPrompts} of ${prompts} prompts ${are} in more than one part. ${remedy}.`);
  }
  const grouped = splitBy === undefined && prompts < count;
  const by = splitBy === undefined ? 'prompt' : `'${splitBy}'`;
  const why = `equal prompts are in one part, and ${count} ${noun} have ${prompts} different ${prompts === 1 ? 'prompt' : 'prompts'}. To group them otherwise, name a column with --split-by`;
  const more = splitBy === undefined ? 'more rows' : `more values of ${by}`;
  const works = nearestSplit && betterSplit(nearestSplit, parts);
  const few = `a hash of its ${by} chooses the part of each row, which matches the shares only for many different ones. Use ${works ? `${works}, or ` : ''}${more}`;
  for (const [part, share] of Object.entries(split)) {
    const made = madeIn(files, part);
    if (made === 0) {
      const chance = `a hash of its ${by} chooses the part of each row, and none falls into the share of ${formatFineShare(share)}`;
      const remedy = works ? `Use ${works}, or ${more}` : `Use a larger share, or ${more}`;
      said.push(`the part '${part}' has no ${noun}, and so no file: ${grouped ? why : chance}. ${remedy}.`);
    } else if (Math.abs(made / count - share) > share * MOST_OFF) {
      const shares = `${formatFineShare(made / count)} of the ${noun} instead of ${formatFineShare(share)}`;
      said.push(`the part '${part}' has ${shares}: ${grouped ? why : few}.`);
    }
  }
  return said;
}

/** The flag with shares that come nearer to the wanted ones, with what they make; undefined for no nearer ones. */
function betterSplit(
  nearest: NonNullable<ExportedParts['nearestSplit']>,
  { files, split, examples: count }: ExportedParts,
): string | undefined {
  const off = (part: string, made: number): number => Math.abs(made / count - (split[part] ?? 0));
  const isNearer = Object.entries(nearest).some(([part, { examples }]) => {
    const made = madeIn(files, part);
    return made === 0 || made === count || off(part, examples) < off(part, made);
  });
  if (!isNearer) return undefined;
  const shares = Object.entries(nearest).map(([part, { share }]) => `${part}=${share}`);
  const made = Object.values(nearest).map(({ examples }) => formatCount(examples));
  // What the hash makes of far shares differs from them too.
  const isFar = Object.values(nearest).some(
    ({ share, examples }) => Math.abs(examples / count - share) > share * MOST_OFF,
  );
  return `--split ${shares.join(',')}, which makes parts of ${made.join(' and ')}${isFar ? ' (and a warning like this one)' : ''}`;
}

function madeIn(files: ExportedParts['files'], part: string): number {
  return files.filter(({ split }) => split === part).reduce((sum, { examples }) => sum + examples, 0);
}
