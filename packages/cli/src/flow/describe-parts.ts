import { formatCount, formatFineShare } from '@data-designer/printing';
import type { ExportedTraining } from '@data-designer/training/options';

/** The parts of an export of training data, and the shares that were asked for. */
export interface ExportedParts extends Pick<
  ExportedTraining,
  'files' | 'examples' | 'prompts' | 'sharedPrompts' | 'fillingSplit'
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
  const { files, examples: count, prompts = 0, sharedPrompts = 0, fillingSplit, split, splitBy, noun } = parts;
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
  const few = `a hash of its ${by} chooses the part of each row, which matches the shares only for many different ones. Use more rows`;
  for (const [part, share] of Object.entries(split)) {
    const made = madeIn(files, part);
    if (made === 0) {
      const chance = `a hash of its ${by} chooses the part of each row, and none falls into the share of ${formatFineShare(share)}`;
      const works = fillingSplit && Object.entries(fillingSplit).map(([name, value]) => `${name}=${value}`);
      const remedy = works ? `Use --split ${works.join(',')}, or more rows` : 'Use a larger share, or more rows';
      said.push(`the part '${part}' has no ${noun}, and so no file: ${grouped ? why : chance}. ${remedy}.`);
    } else if (Math.abs(made / count - share) > share * MOST_OFF) {
      const shares = `${formatFineShare(made / count)} of the ${noun} instead of ${formatFineShare(share)}`;
      said.push(`the part '${part}' has ${shares}: ${grouped ? why : few}.`);
    }
  }
  return said;
}

function madeIn(files: ExportedParts['files'], part: string): number {
  return files.filter(({ split }) => split === part).reduce((sum, { examples }) => sum + examples, 0);
}
