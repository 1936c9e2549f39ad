import { parseJson, type Random, type Row } from '@data-designer/core';
import type { FuzzCase } from './fuzz-target.ts';
import { byteMutations } from './mutations/byte-mutations.ts';
import { pick } from './mutations/mutation.ts';
import type { KnownTemplate, templateCorpus } from './template-corpus.ts';
import { makeBomb, makeTemplate } from './template-grammar.ts';
import { templateMutations } from './template-mutations.ts';
import { recordLine } from './template-record.ts';

/** More than this many characters is not worth the time. */
const MAX_LENGTH = 100_000;

/** A case of the templates' fuzzer: made from the grammar, or a known template spoilt. */
export function caseOf(corpus: ReturnType<typeof templateCorpus>, random: Random): FuzzCase {
  const { template, story, record = recordLine(random) } = begin(corpus, random);
  const isSpoilt = story[0] === 'known' || random.float() < 0.25;
  const chosen = isSpoilt ? mutations(random) : [];
  const other = pick([...corpus.attacks, ...corpus.others], random).template;
  const spoilt = chosen.reduce((text, { apply }) => apply(text, { random, other }).slice(0, MAX_LENGTH), template);
  return {
    text: `${record}\n${spoilt.slice(0, MAX_LENGTH)}`,
    json: false,
    story: [...story, ...chosen.map(({ name }) => name)],
  };
}

interface Beginning {
  readonly template: string;
  readonly story: readonly string[];
  readonly record?: string;
}

function begin({ attacks, others }: ReturnType<typeof templateCorpus>, random: Random): Beginning {
  const draw = random.float();
  if (draw < 0.4) return { template: makeTemplate(random, plainStyle(random)), story: ['grammar'] };
  if (draw < 0.6)
    return { template: makeTemplate(random, { depth: 3, mode: 'native', strangeness: 0.25 }), story: ['strange'] };
  if (draw < 0.7) return { template: makeBomb(random), story: ['bomb'] };
  const { id, template, record }: KnownTemplate = pick(draw < 0.9 ? attacks : others, random);
  return { template, story: ['known', id], ...(random.float() < 0.7 ? { record } : {}) };
}

function plainStyle(random: Random): Parameters<typeof makeTemplate>[1] {
  const mode = random.float() < 0.5 ? 'secure' : 'native';
  return { depth: mode === 'secure' ? 1 + random.below(3) : 1 + random.below(5), mode, strangeness: 0.01 };
}

function mutations(random: Random): typeof templateMutations {
  const table = random.float() < 0.85 ? templateMutations : byteMutations;
  return Array.from({ length: pick([1, 1, 1, 2, 2, 3], random) }, () => pick(table, random));
}

/** The template and the record of a case's text; without a line of JSON the record is empty. */
export function readCase(text: string): { readonly template: string; readonly record: Row } {
  const end = text.indexOf('\n');
  return { template: text.slice(end + 1), record: readRecord(text.slice(0, Math.max(0, end))) };
}

function readRecord(line: string): Row {
  try {
    const record = parseJson(line);
    return typeof record === 'object' && record !== null && !Array.isArray(record) ? (record as Row) : {};
  } catch {
    return {};
  }
}
