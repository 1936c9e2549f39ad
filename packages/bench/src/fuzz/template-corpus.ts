import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A template whose meaning is known, with its record as one line of JSON. */
export interface KnownTemplate {
  readonly id: string;
  readonly template: string;
  readonly record: string;
}

interface Row {
  readonly id: string;
  readonly area: string;
  readonly template: unknown;
  readonly record: unknown;
}

const FILE = new URL('../../../../test/conformance/data/templates.jsonl', import.meta.url);

/** The known templates of this repository: those that look for a way out, and the others. */
export function templateCorpus(): {
  readonly attacks: readonly KnownTemplate[];
  readonly others: readonly KnownTemplate[];
} {
  const rows = readFileSync(fileURLToPath(FILE), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Row => JSON.parse(line))
    .filter(({ template }) => typeof template === 'string');
  return {
    attacks: rows.filter(({ area }) => area === 'attack').map(known),
    others: rows.filter(({ area }) => area !== 'attack').map(known),
  };
}

function known({ id, template, record }: Row): KnownTemplate {
  return { id, template: String(template), record: JSON.stringify(record) };
}
