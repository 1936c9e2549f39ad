import { InvalidArgumentError } from 'commander';
import { LONGEST_SECONDS } from '@data-designer/core';

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/** Parses a duration such as `30m` to seconds; throws `InvalidArgumentError` for other text, and if no timer can hold it. */
export function parseDuration(text: string): number {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text.trim()) ?? [];
  const seconds = Number(amount) * (SECONDS[unit as keyof typeof SECONDS] ?? 0);
  if (seconds > LONGEST_SECONDS) {
    throw new InvalidArgumentError(`It must be at most ${Math.floor(LONGEST_SECONDS / SECONDS.h)}h.`);
  }
  if (seconds > 0) return seconds;
  throw new InvalidArgumentError('It must be a time, such as 90s, 30m, 2h or 1d.');
}
