import type { CellValue, Row } from '@data-designer/core';

interface KeptPicture {
  readonly column: string;
  readonly path: string;
}

/** The pictures that the rows of a group have written, and those of them that no row shows in the end. */
export class KeptPictures {
  readonly #byRow = new Map<number, KeptPicture[]>();
  readonly #orphans: string[] = [];
  readonly #lost = new Set<number>();

  /** A cell has written a picture. */
  note(rowIndex: number, picture: KeptPicture): void {
    // A cell may still be at work when another has lost the row.
    if (this.#lost.has(rowIndex)) return void this.#orphans.push(picture.path);
    const known = this.#byRow.get(rowIndex);
    if (known) known.push(picture);
    else this.#byRow.set(rowIndex, [picture]);
  }

  /** A row is over: made, with these cells, or lost. */
  settle(rowIndex: number, row: Row | undefined): void {
    if (!row) this.#lost.add(rowIndex);
    const pictures = this.#byRow.get(rowIndex);
    if (!pictures) return;
    this.#byRow.delete(rowIndex);
    for (const { column, path } of pictures) if (!shows(row?.[column], path)) this.#orphans.push(path);
  }

  /** Paths, relative to the dataset's folder, of pictures that belong to lost rows or to cells that were made otherwise. */
  get orphans(): readonly string[] {
    return this.#orphans;
  }
}

function shows(cell: CellValue | undefined, path: string): boolean {
  return cell === path || (Array.isArray(cell) && cell.includes(path));
}
