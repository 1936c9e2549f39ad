import { formatBytes, formatDuration } from '@data-designer/printing';
import { Throttle } from './throttle.ts';

const REDRAW_MS = 100;
const LINE_MS = 10_000;
const CLEAR_LINE = '\r\u001b[K';

/** How far a download is. */
interface Progress {
  readonly bytes: number;
  readonly total: number | undefined;
  readonly seconds: number;
}

/** The progress of one download as text: share, size, speed and time left. */
export function describeDownload(name: string, { bytes, total, seconds }: Progress): string {
  const speed = seconds > 0 ? bytes / seconds : 0;
  const share = total === undefined || total === 0 ? [] : [`${Math.floor((100 * bytes) / total)} %`];
  const size = total === undefined ? formatBytes(bytes) : `${formatBytes(bytes)} of ${formatBytes(total)}`;
  const left = total === undefined || speed === 0 ? [] : [`${formatDuration((total - bytes) / speed)} left`];
  return [name, ...share, size, `${formatBytes(speed)}/s`, ...left].join('  ');
}

/** Shows a download on standard error: one line that is redrawn on a terminal, else a line every ten seconds. */
export class DownloadLine {
  readonly #redraws = process.stderr.isTTY && process.env.TERM !== 'dumb';
  readonly #startedAt = performance.now();
  readonly #throttle = new Throttle<Omit<Progress, 'seconds'>>(
    this.#redraws ? REDRAW_MS : LINE_MS,
    this.#startedAt + (this.#redraws ? 0 : LINE_MS),
  );
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  show(bytes: number, total: number | undefined): void {
    const now = performance.now();
    const shown = this.#throttle.offer({ bytes, total }, now);
    if (!shown) return;
    const text = describeDownload(this.#name, { ...shown, seconds: (now - this.#startedAt) / 1000 });
    process.stderr.write(this.#redraws ? `${CLEAR_LINE}${text}` : `${text}\n`);
  }

  /** Removes the line. */
  clear(): void {
    if (this.#redraws) process.stderr.write(CLEAR_LINE);
  }
}
