import type { Answered, CallSite, Cell, Question, Random, Row } from '@data-designer/core';
import type { MCPRegistry } from '@data-designer/mcp';
import type { ModelRegistry } from '@data-designer/models';

/** What the cells of a row group share. */
export interface CellParts {
  readonly models: ModelRegistry;
  readonly tools: MCPRegistry;
  readonly signal: AbortSignal;
}

/** Which cell it is. */
export interface CellPlace {
  readonly row: Row;
  readonly rowIndex: number;
  readonly column: string;
  readonly random: Random;
}

/** One cell at work: what its maker may use, counting what it asks of the outside. */
export class RowCell implements Cell {
  readonly row: Row;
  readonly rowIndex: number;
  readonly #place: CellPlace;
  readonly #parts: CellParts;
  #random: Random | undefined;
  #site: CallSite | undefined;

  constructor(place: CellPlace, parts: CellParts) {
    this.row = place.row;
    this.rowIndex = place.rowIndex;
    this.#place = place;
    this.#parts = parts;
  }

  get random(): Random {
    return (this.#random ??= this.#place.random.copy().at(this.rowIndex));
  }

  get signal(): AbortSignal {
    return this.#parts.signal;
  }

  ask<Answer>(question: Question<Answer>): Promise<Answered<Answer>> {
    const { models, tools } = this.#parts;
    const toolBox = question.toolAlias === undefined ? undefined : tools.get(question.toolAlias);
    this.#site ??= this.#openSite();
    return models.facade(question.modelAlias).generate(question, this.#site, toolBox);
  }

  #openSite(): CallSite {
    let calls = 0;
    const { column, random } = this.#place;
    return {
      row: this.rowIndex,
      column,
      signal: this.signal,
      nextCall: () => calls++,
      randomOf: (call) => random.copy().at(this.rowIndex, 0, call + 1),
    };
  }
}
