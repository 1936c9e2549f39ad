import type { CellValue, Row } from '@data-designer/core';
import type { ImageSum } from '@data-designer/dataset';

interface WrittenImage extends ImageSum {
  readonly column: string;
}

/** Records the images that the rows of a group write, to find those that no finished row shows. */
export class WrittenImages {
  readonly #byRow = new Map<number, WrittenImage[]>();
  /** Paths, relative to the dataset's folder, of the images that no finished row shows. */
  readonly orphaned: string[] = [];
  readonly #lostRows = new Set<number>();
  readonly #shown = new Map<number, ImageSum[]>();
  readonly #ofBlocks: readonly string[];

  /** `ofBlocks` names the fields that hold the values of several attempts. */
  constructor(ofBlocks: readonly string[] = []) {
    this.#ofBlocks = ofBlocks;
  }

  /** Records an image that a cell wrote. */
  add(rowIndex: number, image: WrittenImage): void {
    // A cell may still be running after another cell cost the row.
    if (this.#lostRows.has(rowIndex)) return void this.orphaned.push(image.path);
    const known = this.#byRow.get(rowIndex);
    if (known) known.push(image);
    else this.#byRow.set(rowIndex, [image]);
  }

  /** Closes a row: finished with these cells, or lost. */
  settle(rowIndex: number, row: Row | undefined): void {
    if (!row) this.#lostRows.add(rowIndex);
    const images = this.#byRow.get(rowIndex);
    if (!images) return;
    this.#byRow.delete(rowIndex);
    const shown: ImageSum[] = [];
    for (const { column, ...image } of images) {
      if (row && this.#showsIn(row, { column, path: image.path })) shown.push(image);
      else this.orphaned.push(image.path);
    }
    if (shown.length > 0) this.#shown.set(rowIndex, shown);
  }

  #showsIn(row: Row, { column, path }: { readonly column: string; readonly path: string }): boolean {
    if (shows(row[column], path)) return true;
    const attempts = this.#ofBlocks.flatMap((name) => row[name] ?? []);
    return attempts.some((attempt) => shows((attempt as Row)[column], path));
  }

  /** The images that a finished row shows. */
  shownBy(rowIndex: number): readonly ImageSum[] {
    return this.#shown.get(rowIndex) ?? [];
  }

  /** The images that finished rows show, without those of some rows. */
  shownWithout(rowIndexes: ReadonlySet<number>): readonly ImageSum[] {
    return [...this.#shown].flatMap(([rowIndex, images]) => (rowIndexes.has(rowIndex) ? [] : images));
  }
}

function shows(cell: CellValue | undefined, path: string): boolean {
  return cell === path || (Array.isArray(cell) && cell.includes(path));
}
