import { WHERE_COLUMN } from '@data-designer/config';
import { DataDesignerError, type LostRows, type PlannedSelect, type Row } from '@data-designer/core';
import { type ComparedInputs, readDataset, type RefusedCandidate } from '@data-designer/dataset';
import {
  type Benchmarks,
  type Candidate,
  createRowSigner,
  digestOfBenchmarks,
  printReason,
  type Reason,
  RowsDigest,
  Selector,
} from '@data-designer/select';
import { readBenchmarks } from '@data-designer/seeds';
import { requireCompared } from './check-compared.ts';

/** Why a candidate is refused. */
export interface Refusal {
  /** The reason with its particulars, such as the row that it duplicates. */
  readonly reason: string;
  /** The reason as it is counted. */
  readonly counted: Omit<LostRows, 'rows'>;
  /** The accepted row that it duplicates, unless that is in another dataset. */
  readonly of?: number;
}

/** Decides the candidates of a dataset, one after another in order of their index. */
export class RowJudge implements Disposable {
  readonly #select: PlannedSelect;
  readonly #sign: ReturnType<typeof createRowSigner>;
  readonly #selector: Selector;
  #compared: ComparedInputs | undefined;

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
    const uniqueAgainst: Record<string, string> = {};
    for (const folder of select.uniqueAgainst) uniqueAgainst[folder] = await judge.#addOthers(folder);
    if (benchmarks || select.uniqueAgainst.length > 0) {
      judge.#compared = { ...(benchmarks ? { notIn: digestOfBenchmarks(benchmarks) } : {}), uniqueAgainst };
    }
    return judge;
  }

  /** Digests of the benchmarks and the other datasets; undefined if the rules compare with none. */
  get compared(): ComparedInputs | undefined {
    return this.#compared;
  }

  /** Decides a candidate, which becomes row `position` if it is accepted; undefined for one that is. */
  decide(row: Row, position: number): Refusal | undefined {
    const verdict = this.#selector.decide(position, this.#candidate(row));
    if (verdict.accepted) return undefined;
    const { reason } = verdict;
    const isOwn = reason.kind === 'duplicate' && reason.folder === undefined;
    return {
      reason: printReason(reason),
      counted: this.#counted(reason),
      ...(isOwn ? { of: reason.of } : {}),
    };
  }

  #candidate(row: Row): Candidate {
    const { where } = this.#select;
    return where !== null && row[where] === false ? { kind: 'where' } : this.#sign(row);
  }

  [Symbol.dispose](): void {
    this.#selector[Symbol.dispose]();
  }

  /** Adds the rows of another dataset, and returns their digest. */
  async #addOthers(folder: string): Promise<string> {
    const digest = new RowsDigest();
    let row = 0;
    for await (const record of readDataset(folder)) {
      if (row === 0) requireCompared(folder, record, this.#select);
      const signed = this.#sign(record);
      digest.add(signed);
      if (signed.kind === 'features') this.#selector.addOther(folder, row, signed);
      row++;
    }
    return digest.end();
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

/** Whether rows were refused because the expression `where` failed, and not by its value. */
export function isFaultOfWhere({ column, code }: Pick<LostRows, 'column' | 'code'>): boolean {
  return column === WHERE_COLUMN && code.startsWith('template/');
}

/** A refused candidate as `selection.jsonl` has it. */
export function refusedCandidate(row: number, { reason, counted, of }: Refusal): RefusedCandidate {
  const { code, column } = counted;
  return { row, code, column, reason, ...(of === undefined ? {} : { of }) };
}

function countedAs(column: string, { code, message }: DataDesignerError): Refusal['counted'] {
  return { column, code, message };
}
