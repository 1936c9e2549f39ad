import { type CellValue, DataDesignerError, type LostRows, type PlannedSelect, type Row } from '@data-designer/core';
import { readDataset } from '@data-designer/dataset';
import {
  type Benchmarks,
  type Candidate,
  createRowSigner,
  printReason,
  type Reason,
  Selector,
} from '@data-designer/select';
import { readBenchmarks } from '@data-designer/seeds';

/** Why a candidate is refused. */
export interface Refusal {
  /** The reason with its particulars, such as the row that it duplicates. */
  readonly reason: string;
  /** The reason as it is counted. */
  readonly counted: Omit<LostRows, 'rows'>;
}

/** Decides the candidates of a dataset, one after another in order of their index. */
export class RowJudge implements Disposable {
  readonly #select: PlannedSelect;
  readonly #sign: ReturnType<typeof createRowSigner>;
  readonly #selector: Selector;

  private constructor(select: PlannedSelect, benchmarks: Benchmarks | undefined) {
    this.#select = select;
    this.#sign = createRowSigner(select, benchmarks);
    this.#selector = new Selector(select);
  }

  /**
   * Reads the benchmarks, and the datasets whose rows must not be duplicated. Throws `benchmark/unreadable` for a file, and
   * `dataset/missing` for a folder without a dataset.
   */
  static async open(select: PlannedSelect): Promise<RowJudge> {
    const { notIn } = select;
    const benchmarks = notIn && (await readBenchmarks(notIn.files, { ...notIn, folder: process.cwd() }));
    const judge = new RowJudge(select, benchmarks);
    for (const folder of select.uniqueAgainst) {
      let row = 0;
      for await (const record of readDataset(folder)) judge.#addOther(folder, row++, record);
    }
    return judge;
  }

  /** Decides a candidate, which becomes row `position` if it is accepted; undefined for one that is. */
  decide(row: Row, position: number): Refusal | undefined {
    const verdict = this.#selector.decide(position, this.#candidate(row));
    if (verdict.accepted) return undefined;
    return { reason: printReason(verdict.reason), counted: this.#counted(verdict.reason) };
  }

  #candidate(row: Row): Candidate {
    const { where } = this.#select;
    return where !== null && row[where] === false ? { kind: 'where' } : this.#sign(row);
  }

  [Symbol.dispose](): void {
    this.#selector[Symbol.dispose]();
  }

  #addOther(folder: string, row: number, record: Readonly<Record<string, CellValue>>): void {
    const signed = this.#sign(record);
    if (signed.kind === 'features') this.#selector.addOther(folder, row, signed);
  }

  #counted(reason: Reason): Refusal['counted'] {
    if (reason.kind === 'duplicate') {
      const rule = this.#select.unique[reason.rule];
      const column = (rule && ('columns' in rule ? rule.columns : [rule.column]))?.join(', ') ?? '';
      const { folder = '' } = reason;
      return countedAs(column, new DataDesignerError('select/duplicate', { rule: rule?.kind ?? '', column, folder }));
    }
    if (reason.kind === 'benchmark') {
      const { file } = reason;
      return countedAs(file, new DataDesignerError('select/benchmark', { file }));
    }
    const { column = '' } = this.#select.balance ?? {};
    return reason.kind === 'balance'
      ? countedAs(column, new DataDesignerError('select/balance', { column }))
      : countedAs('', new DataDesignerError('select/refused', {}));
  }
}

function countedAs(column: string, { code, message }: DataDesignerError): Refusal['counted'] {
  return { column, code, message };
}
